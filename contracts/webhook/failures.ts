import type { Hook, HookReply } from "../../harness/webhooks/hook.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import {
  runToEndWith,
  callsOf,
  countedCalls,
  countedCallsOf,
  firstCall,
  silenceMs,
  spacingMs,
  submitJobWith,
  untilCalled,
} from "./calls.ts";

/** Answers to a first and a second call that everybody takes for failures. */
const usualFailures = [500, 500];
/** Others that do not acknowledge a call either, also those that other protocols would accept. */
const unusualFailures = [
  [201, 404],
  [202, 403],
  [204, 502],
  [206, 304],
  [301, 410],
  [302, 409],
  [307, 205],
  [308, 504],
  [400, 203],
  [404, 401],
  [410, 207],
  [429, 422],
  [503, 303],
  [409, 201],
  [401, 302],
];

/** How long a target may wait for a receiver that does not answer (docs/specification.md#webhooks). */
const receiverTimeoutMs = 30_000;

/** Checks of what counts as a failed call (HOOK-07). */
export const failureChecks: readonly Check[] = [
  {
    name: "webhook/only-200-acknowledges",
    title:
      "a call answered with anything but 200 is made again, and other webhooks are called meanwhile",
    covers: ["HOOK-07", "HOOK-01"],
    needs: ["quick", "webhook"],
    realTimeMs: 2 * spacingMs + 3000,
    run: async (context) => {
      const receiver = await context.receiver();
      const hooks = [usualFailures, ...unusualFailures].map((replies) => ({
        hook: receiver.hook(...replies, 200),
        replies,
      }));
      // Jobs are submitted one after the other, by run and runsync in turn: many calls at once would prove no more.
      for (const [index, { hook }] of hooks.entries()) {
        const by = index % 2 === 0 ? "run" : "runsync";
        await submitJobWith(context, hook, { input: context.jobs.quick(1), by });
      }
      const other = receiver.hook();
      await runToEndWith(context, other, { input: context.jobs.quick(1) });
      const { length } = await countedCallsOf(context, other, 1);
      context.expect.of("HOOK-01").equal(length, 1, "calls beside many that have failed");
      for (const { hook } of hooks) await firstCall(context, hook);
      await expectAgain(context, hooks);
    },
  },
  {
    name: "webhook/reset-connection",
    title: "a call whose connection is dropped without an answer is made again",
    covers: ["HOOK-07"],
    needs: ["quick", "webhook"],
    realTimeMs: spacingMs + 3000,
    run: async (context) => {
      const hook = (await context.receiver()).hook("reset", 200);
      await submitJobWith(context, hook, { input: context.jobs.quick(1) });
      await firstCall(context, hook);
      await expectAgain(context, [{ hook, replies: ["reset"] }]);
    },
  },
  {
    name: "webhook/refused-connection",
    title: "a call whose connection is refused is made again, twice if that fails, too",
    covers: ["HOOK-07", "HOOK-04"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      const { time, expect } = context;
      const { hook, open } = await (await context.receiver()).closedHook(500);
      const job = await runToEnd(context, context.jobs.quick(1), { extra: { webhook: hook.url } });
      // A refused call cannot be observed. It is over by now, or on a real clock within a second.
      await time.pass(time.choose({ virtual: 0, real: 1000 }));
      await open();
      const [attempt] = await callsOf(context, hook, 1, spacingMs + 1);
      const isFirst =
        !time.virtual &&
        attempt !== undefined &&
        attempt.at.latestMs < job.finishedAt.earliestMs + spacingMs - time.marginMs;
      if (isFirst) throw new Inconclusive("the first call came only when the port was open");
      expect.of("HOOK-07").equal(attempt !== undefined, true, "a call 10 s after a refused one");
      await countedCallsOf(context, hook, 2, spacingMs + 1);
      await time.pass(silenceMs(time));
      const { length } = await countedCallsOf(context, hook, 2);
      expect.of("HOOK-04").equal(length, 2, "calls after a refused one");
    },
  },
  {
    name: "webhook/silent-receiver",
    title: "a call that is never answered is made again, twice if that fails, too",
    covers: ["HOOK-07", "HOOK-04"],
    needs: ["quick", "webhook"],
    realTimeMs: receiverTimeoutMs + 3 * spacingMs + 5000,
    waitsForTarget: true,
    run: async (context) => {
      const { time, expect } = context;
      const hook = (await context.receiver()).hook("silence", 500);
      await submitJobWith(context, hook, { input: context.jobs.quick(1) });
      await firstCall(context, hook);
      // A target on a virtual clock may give up on a call in virtual or in real time, so both are waited for.
      await time.advance(spacingMs + 1);
      const again = (await callsOf(context, hook, 2, receiverTimeoutMs + spacingMs + 1)).length > 1;
      expect.of("HOOK-07").equal(again, true, "a call after one that was never answered");
      await countedCallsOf(context, hook, 3, spacingMs + 1);
      await time.pass(silenceMs(time));
      const { length } = await countedCallsOf(context, hook, 3);
      expect.of("HOOK-04").equal(length, 3, "calls in all, the first of them never answered");
    },
  },
];

/** The calls of a webhook, and how they are answered before the last. */
interface FailingHook {
  readonly hook: Hook;
  readonly replies: readonly HookReply[];
}

/** Expects the second calls, and the third ones where the first of the hooks was called a third time by then. */
async function expectAgain(context: CheckContext, hooks: readonly FailingHook[]): Promise<void> {
  const { time, expect } = context;
  const [usual] = hooks;
  const within = time.choose({ virtual: 0, real: spacingMs });
  const called = hooks.map(({ hook }) => hook);
  await time.advance(spacingMs + 1);
  await untilCalled(context, called, 2, within);
  const again = [];
  for (const each of hooks) {
    const { length } = await countedCalls(context, each.hook, 2);
    const at = `calls, the first of them answered ${String(each.replies[0])}`;
    // On a slow target the third call may have come by then.
    expect.of("HOOK-07").equal(length, Math.max(2, length), at);
    if (length >= 2) again.push(each);
  }
  const twice = again.filter(({ replies }) => replies.length > 1);
  if (usual === undefined || twice.length === 0) return;
  await time.advance(spacingMs + 1);
  // How many calls there are at most, and when, is the question of other checks.
  if ((await callsOf(context, usual.hook, 3, within)).length < 3) return;
  await untilCalled(
    context,
    twice.map(({ hook }) => hook),
    3,
    within,
  );
  for (const { hook, replies } of twice) {
    const { length } = await countedCalls(context, hook, 3);
    const at = `calls, the second of them answered ${String(replies[1])}`;
    expect.of("HOOK-07").equal(length, 3, at);
  }
}
