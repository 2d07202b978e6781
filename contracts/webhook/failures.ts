import type { Hook, HookReply } from "../../harness/webhooks/hook.ts";
import { waitForEnd, submitJob, Inconclusive } from "../../harness/index.ts";
import type { Check } from "../../harness/index.ts";
import { callsOf, countedCallsOf, firstCall, spacingMs, submitJobWith } from "./calls.ts";

/** Answers that do not acknowledge a call, also those that other protocols would accept. */
const failures: readonly HookReply[] = [
  201, 202, 204, 206, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503,
];

/** How long a target may wait for a receiver that does not answer (docs/specification.md#webhooks). */
const receiverTimeoutMs = 30_000;

/** Checks of what counts as a failed call (HOOK-07). */
export const failureChecks: readonly Check[] = [
  {
    name: "webhook/only-200-acknowledges",
    title: "a call answered with anything but 200 is made again",
    covers: ["HOOK-07"], // Only 200 acknowledges: another 2xx, a redirect, a dropped connection and a refused one count as failures.
    needs: ["quick", "webhook"],
    realTimeMs: spacingMs + 3000,
    run: async (context) => {
      const receiver = await context.receiver();
      const hooks = failures.map((reply) => ({ hook: receiver.hook(reply, 200), reply }));
      // Jobs are submitted one after the other, by run and runsync in turn: many calls at once would prove no more.
      for (const [index, { hook }] of hooks.entries()) {
        const by = index % 2 === 0 ? "run" : "runsync";
        await submitJobWith(context, hook, { input: context.jobs.quick(1), by });
      }
      for (const { hook } of hooks) await firstCall(context, hook);
      await expectAgain(context, hooks);
    },
  },
  {
    name: "webhook/reset-connection",
    title: "a call whose connection is dropped without an answer is made again",
    covers: ["HOOK-07"], // Only 200 acknowledges: another 2xx, a redirect, a dropped connection and a refused one count as failures.
    needs: ["quick", "webhook"],
    realTimeMs: spacingMs + 3000,
    run: async (context) => {
      const hook = (await context.receiver()).hook("reset", 200);
      await submitJobWith(context, hook, { input: context.jobs.quick(1) });
      await firstCall(context, hook);
      await expectAgain(context, [{ hook, reply: "reset" }]);
    },
  },
  {
    name: "webhook/refused-connection",
    title: "a call whose connection is refused is made again",
    covers: ["HOOK-07"], // Only 200 acknowledges: another 2xx, a redirect, a dropped connection and a refused one count as failures.
    needs: ["quick", "webhook"],
    realTimeMs: spacingMs + 3000,
    run: async (context) => {
      const { time, expect } = context;
      const { hook, open } = await (await context.receiver()).closedHook(200);
      const job = await waitForEnd(
        context,
        await submitJob(context, context.jobs.quick(1), { webhook: hook.url }),
      );
      // A refused call cannot be observed. It is over by now, or on a real clock within a second.
      await time.pass(time.choose({ virtual: 0, real: 1000 }));
      await open();
      const [attempt] = await callsOf(context, hook, 1, spacingMs + 1);
      const isFirst =
        !time.virtual &&
        attempt !== undefined &&
        attempt.at.latestMs < job.finishedAt.earliestMs + spacingMs - time.marginMs;
      if (isFirst) throw new Inconclusive("the first call came only when the port was open");
      expect.equal(attempt !== undefined, true, "a call 10 s after a refused one");
    },
  },
  {
    name: "webhook/silent-receiver",
    title: "a call that is never answered is made again",
    covers: ["HOOK-07"], // Only 200 acknowledges: another 2xx, a redirect, a dropped connection and a refused one count as failures.
    needs: ["quick", "webhook"],
    realTimeMs: receiverTimeoutMs + spacingMs + 2000,
    waitsForTarget: true,
    run: async (context) => {
      const { time, expect } = context;
      const hook = (await context.receiver()).hook("silence", 200);
      await submitJobWith(context, hook, { input: context.jobs.quick(1) });
      await firstCall(context, hook);
      // A target on a virtual clock may give up on a call in virtual or in real time, so both are waited for.
      await time.advance(spacingMs + 1);
      const attempts = await countedCallsOf(context, hook, 2, receiverTimeoutMs + spacingMs + 1);
      expect.equal(attempts.length, 2, "calls after one that was never answered");
    },
  },
];

async function expectAgain(
  context: Parameters<Check["run"]>[0],
  hooks: readonly { readonly hook: Hook; readonly reply: HookReply }[],
): Promise<void> {
  await context.time.advance(spacingMs + 1);
  for (const { hook, reply } of hooks) {
    const attempts = await countedCallsOf(
      context,
      hook,
      2,
      context.time.choose({ virtual: 0, real: spacingMs }),
    );
    context.expect.equal(attempts.length, 2, `calls, the first of them answered ${String(reply)}`);
  }
}
