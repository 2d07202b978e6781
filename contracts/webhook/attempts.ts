import type { Hook, HookReply } from "../../harness/webhooks/hook.ts";
import { ageBetween } from "../../harness/interval.ts";
import { requireState, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { startJob, submitOperations } from "../../harness/jobs/submit.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import {
  runToEndWith,
  callsOf,
  countedCalls,
  countedCallsOf,
  expectNoCompletion,
  firstCall,
  requireCountableCalls,
  silenceMs,
  spacingMs,
  submitJobWith,
  untilCalled,
} from "./calls.ts";

/** Failures that a receiver shows at once, so that it makes no difference where the 10 s count from. */
const promptFailures: readonly HookReply[] = [500, 204, 302, "reset"];

/** The same, followed by others that some clients wait longer after. */
const repliesInTurn: readonly (readonly HookReply[])[] = [
  [500, 429],
  [204, 503],
  [302, 404],
  ["reset", 500],
];

/** Checks of how often and when the call is made (HOOK-03 to HOOK-06). */
export const attemptChecks: readonly Check[] = [
  {
    name: "webhook/acknowledged-once",
    title: "a call that was answered with 200 is not repeated",
    covers: ["HOOK-03"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      const { time, expect } = context;
      const hooks = await calledHooks(context, 200);
      await time.pass(silenceMs(time));
      for (const { hook, by } of hooks) {
        const calls = await countedCallsOf(context, hook, 1);
        expect.equal(calls.length, 1, `calls of a ${by} job after an answer of 200`);
      }
    },
  },
  {
    name: "webhook/three-attempts",
    title: "a call that always fails is made 3 times, and never again but for another job",
    covers: ["HOOK-04", "HOOK-01"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      const { time, expect } = context;
      // To a receiver that is gone (410) other jobs are as new as to any other.
      const hooks = await calledHooks(context, 500, 500, 410);
      for (const { hook, by } of hooks) {
        const attempts = await countedCallsOf(context, hook, 3, 2 * spacingMs + 1);
        expect.of("HOOK-04").equal(attempts.length, 3, `attempts of a ${by} job within 20 s`);
        const others = attempts.map(({ method }) => method).filter((method) => method !== "POST");
        expect.of("HOOK-01").surely.equal(others, [], `methods besides POST, of a ${by} job`);
      }
      await time.pass(silenceMs(time));
      for (const { hook, by } of hooks) {
        const attempts = await countedCallsOf(context, hook, 3);
        expect.of("HOOK-04").equal(attempts.length, 3, `attempts of a ${by} job in all`);
        const input = context.jobs.quick(2);
        await runToEndWith(context, hook, { input, by });
        const { length } = await callsOf(context, hook, attempts.length + 1);
        const wasCalled = length > attempts.length;
        expect.of("HOOK-01").equal(wasCalled, true, `a call for another ${by} job`);
      }
    },
  },
  {
    name: "webhook/three-attempts-whatever-the-failure",
    title: "a call that fails by another 2xx, a redirect or a dropped connection is made 3 times",
    covers: ["HOOK-04"],
    needs: ["quick", "webhook"],
    run: async (context) => {
      const { time, expect } = context;
      const receiver = await context.receiver();
      const hooks = promptFailures.map((reply) => ({ hook: receiver.hook(reply), reply }));
      for (const { hook } of hooks)
        await submitJobWith(context, hook, { input: context.jobs.quick(1) });
      const called = hooks.map(({ hook }) => hook);
      await untilCalled(context, called, 3, 2 * spacingMs + 1);
      await time.pass(silenceMs(time));
      for (const { hook, reply } of hooks) {
        const attempts = await countedCalls(context, hook, 3);
        expect.equal(attempts.length, 3, `attempts in all, each answered ${String(reply)}`);
      }
    },
  },
  {
    name: "webhook/spacing",
    title: "the attempts come 10 s apart, whatever the failure, for jobs of run and of runsync",
    covers: ["HOOK-05"],
    needs: ["quick", "webhook"],
    realTimeMs: 2 * spacingMs + 6000,
    run: async (context) => {
      const { time, jobs, offers } = context;
      const receiver = await context.receiver();
      const hooks: FailingHook[] = repliesInTurn.map((replies) => ({
        hook: receiver.hook(...replies),
        answered: replies.join(", "),
      }));
      // The seconds count from the call, wherever the clock stands.
      await time.advance(3700);
      const { earliestMs: fromMs } = time.now();
      for (const [index, { hook }] of hooks.entries()) {
        const by = index % 2 === 0 ? "run" : "runsync";
        await submitJobWith(context, hook, { input: jobs.quick(1), by });
      }
      for (const { hook } of hooks) await firstCall(context, hook);
      if (offers("failing")) {
        const hook = receiver.hook(500);
        await runToEndWith(context, hook, { input: jobs.failing("1") });
        // Whether a job that failed calls its webhook at all is open (HOOK-10).
        const { length } = await callsOf(context, hook, 1);
        if (length > 0) hooks.push({ hook, answered: "500 for a failed job" });
      }
      requireInstant(context, fromMs);
      const ways = { virtual: expectVirtualSpacing, real: expectRealSpacing };
      await context.time.choose(ways)(context, hooks);
    },
  },
  {
    name: "webhook/one-url-for-several-jobs",
    title: "jobs with the same URL each call it, and an answer of 200 to one ends it for no other",
    covers: ["HOOK-01", "HOOK-04"],
    needs: ["quick", "webhook"],
    realTimeMs: 2 * spacingMs + 3000,
    run: async (context) => {
      const { expect } = context;
      // The first job is acknowledged at once; of the others one on its second attempt, one on its third.
      const replies = [200, 500, 500, 200, 500, 200];
      const hook = (await context.receiver()).hook(...replies);
      for (const number of [1, 2, 3]) {
        await submitJobWith(context, hook, { input: context.jobs.quick(number) });
        const calls = await countedCallsOf(context, hook, number);
        const at = `calls of one URL after ${number} jobs`;
        expect.of("HOOK-01").equal(calls.length, number, at);
      }
      const all = await countedCallsOf(context, hook, replies.length, 2 * spacingMs + 1);
      const at = `calls within 20 s, answered ${replies.join(", ")}`;
      expect.of("HOOK-04").equal(all.length, replies.length, at);
    },
  },
  {
    name: "webhook/attempts-go-on",
    title:
      "a call that fails is made 3 times, whatever is asked of its job and its queue meanwhile; a purge silences no job at work",
    covers: ["HOOK-04", "HOOK-01", "HOOK-08"],
    needs: ["quick", "slow", "webhook", "endpoints"],
    run: async (context) => {
      const { api, expect, endpoint, jobs } = context;
      const receiver = await context.receiver();
      const other = receiver.hook();
      const ofPurged = receiver.hook();
      let purged: SubmittedJob | undefined;
      let working: SubmittedJob | undefined;
      const ask: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
        ["status and stream", async (id) => [await api.status(id), await api.stream(id)]],
        ["a cancel of the completed job", async (id) => api.cancel(id)],
        ["a retry of the completed job", async (id) => api.retry(id)],
        [
          "a purge of the queue",
          async () => {
            working = await startJob(context, jobs.slow(500), { extra: { webhook: other.url } });
            purged = await submitJobWith(context, ofPurged, { input: jobs.quick("purged") });
            await endpoint.purge();
          },
        ],
      ];
      const hooks = [];
      for (const [at, request] of ask) {
        const hook = receiver.hook(500);
        const input = jobs.quick(at);
        const job = await runToEndWith(context, hook, { input });
        await firstCall(context, hook);
        await request(job.id);
        hooks.push({ hook, at });
      }
      if (working !== undefined) requireState(await waitForEnd(context, working, 500), "COMPLETED");
      const { length } = await countedCallsOf(context, other, 1);
      expect.of("HOOK-01").equal(length, 1, "calls of a job that was at work during a purge");
      for (const { hook, at } of hooks) {
        const attempts = await countedCallsOf(context, hook, 3, 2 * spacingMs + 1);
        expect.of("HOOK-04").equal(attempts.length, 3, `attempts, after ${at}`);
      }
      if (purged !== undefined) await expectNoCompletion(context, ofPurged, purged);
    },
  },
  ...[
    ["second", [500, 200], "runsync"] as const,
    ["third", [500, 500, 200], "run"] as const,
    ["second-after-a-reset", ["reset", 200], "run"] as const,
  ].map(([label, replies, by]) => endedBy(label, replies, by)),
];

/** Completes a job of run and one of runsync, and returns their hooks once each was called and gave its first reply. */
async function calledHooks(context: CheckContext, ...replies: readonly HookReply[]) {
  const receiver = await context.receiver();
  const hooks = submitOperations.map((by) => ({ by, hook: receiver.hook(...replies) }));
  for (const { hook, by } of hooks) {
    await runToEndWith(context, hook, { input: context.jobs.quick(1), by });
    await firstCall(context, hook);
  }
  return hooks;
}

function endedBy(label: string, replies: readonly HookReply[], by: SubmitOperation): Check {
  return {
    name: `webhook/success-on-the-${label}`,
    title: `an answer of 200 on attempt ${replies.length} ends it (${replies.join(", ")})`,
    covers: ["HOOK-06"],
    needs: ["quick", "webhook"],
    realTimeMs: replies.length * spacingMs + 2000,
    run: async (context) => {
      const { time, expect } = context;
      const hook = (await context.receiver()).hook(...replies);
      await runToEndWith(context, hook, { input: context.jobs.quick(1), by });
      await firstCall(context, hook);
      const withinMs = (replies.length - 1) * spacingMs + 1;
      const attempts = await countedCallsOf(context, hook, replies.length, withinMs);
      expect.equal(attempts.length, replies.length, `attempts answered ${replies.join(", ")}`);
      await time.pass(silenceMs(time));
      const all = await countedCallsOf(context, hook, replies.length);
      expect.equal(all.length, replies.length, "attempts in all");
    },
  };
}

interface FailingHook {
  readonly hook: Hook;
  /** How its calls are answered, for messages. */
  readonly answered: string;
}

/** @throws Inconclusive where a virtual clock was moved, so that the first attempts were made at several instants */
function requireInstant({ time }: CheckContext, fromMs: number): void {
  const passedMs = time.choose({ virtual: time.now().latestMs - fromMs, real: 0 });
  if (passedMs > 0) throw new Inconclusive("jobs that should take no time took some");
}

/** Steps the clock to just before and just after each boundary; the first attempts were made at this instant. */
async function expectVirtualSpacing(
  context: CheckContext,
  hooks: readonly FailingHook[],
): Promise<void> {
  const { time, expect } = context;
  const expectAttempts = async (made: number, moment: string): Promise<void> => {
    for (const { hook, answered } of hooks) {
      if (hook.attempts.length !== made) await requireCountableCalls(context, hook);
      expect.about(hook).equal(hook.attempts.length, made, `attempts ${moment}, after ${answered}`);
    }
  };
  await time.pass(spacingMs - time.marginMs);
  await expectAttempts(1, "1 ms before 10 s");
  await time.pass(2 * time.marginMs);
  await expectAttempts(2, "1 ms after 10 s");
  await time.pass(spacingMs - 2 * time.marginMs);
  await expectAttempts(2, "1 ms before 20 s");
  await time.pass(2 * time.marginMs);
  await expectAttempts(3, "1 ms after 20 s");
}

/** How late the target's timer and the network may make an attempt: surely allowed, and surely too late. */
const lateMs = { allowed: 1000, excessive: 2500 };

async function expectRealSpacing(
  context: CheckContext,
  hooks: readonly FailingHook[],
): Promise<void> {
  let blurred: string | undefined;
  const called = hooks.map(({ hook }) => hook);
  await untilCalled(context, called, 3, 2 * spacingMs);
  for (const { hook, answered } of hooks) {
    const attempts = await countedCalls(context, hook, 3);
    for (const [index, attempt] of attempts.slice(1).entries()) {
      const previous = attempts[index] ?? attempt;
      const { earliestMs, latestMs } = ageBetween(previous.at, attempt.at);
      const tooSoon = latestMs < spacingMs - context.time.marginMs;
      const tooLate = earliestMs > spacingMs + lateMs.excessive;
      const got = `${earliestMs.toFixed(0)} to ${latestMs.toFixed(0)} ms`;
      const at = `attempt ${index + 2}, after ${answered}`;
      context.expect.that(!tooSoon && !tooLate, { at, expected: "10 s after the one before", got });
      const clear =
        earliestMs >= spacingMs - context.time.marginMs && latestMs <= spacingMs + lateMs.allowed;
      if (!clear && !tooSoon && !tooLate) blurred ??= `${at}: ${got}`;
    }
  }
  // Which failures a call is made again after is the question of other checks (HOOK-04, HOOK-07).
  if (called.every(({ attempts }) => attempts.length < 2))
    throw new Inconclusive("no second attempt came", ["HOOK-04"]);
  if (blurred !== undefined)
    throw new Inconclusive(`too coarse to tell whether it was 10 s: ${blurred}`);
}
