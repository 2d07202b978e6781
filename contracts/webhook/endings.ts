import { retryToEnd, requireState, readJob } from "../../harness/jobs/fixtures.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Hook, HookAttempt } from "../../harness/webhooks/hook.ts";
import {
  callsOf,
  countedCallsOf,
  expectSameRecord,
  firstCall,
  requireCountableCalls,
  silenceMs,
  spacingMs,
} from "./calls.ts";
import { completion, endings, nameOfEnding, reachEnding } from "../endings.ts";
import type { Ending } from "../endings.ts";

/** Makes a job end, and returns the calls of its webhook until then. */
async function reach(
  context: CheckContext,
  ending: Ending,
  hook: Hook,
): Promise<{ readonly job: SubmittedJob; readonly attempts: readonly HookAttempt[] }> {
  const job = await reachEnding(context, ending, { webhook: hook.url });
  return { job, attempts: await callsOf(context, hook, 1) };
}

/**
 * One check for each ending: whether it calls the webhook may differ, so each gives a reading of its own. Whatever the
 * ending, a call brings the status record, and is made again where it fails.
 */
export const endingChecks: readonly Check[] = [
  // A job that completes calls its webhook on every target (HOOK-01).
  ...endings.filter((ending) => ending !== completion).map((ending) => endingCheck(ending)),
  {
    name: "webhook/attempts-after-each-ending",
    title: "a call that fails is made three times, however the job has ended",
    covers: ["HOOK-04"],
    needs: ["failing", "slow", "webhook", "clock"],
    run: async (context) => {
      for (const ending of endings) {
        const hook = (await context.receiver()).hook(500);
        const { job, attempts } = await reach(context, ending, hook);
        if (ending === completion) await firstCall(context, hook);
        if (attempts.length === 0) continue;
        const isRetried = ending.state === "FAILED";
        const before = hook.attempts.length;
        if (isRetried) requireState(await retryToEnd(context, job), "FAILED");
        await context.time.pass(3 * spacingMs + 1);
        const wanted = isRetried ? 6 : 3;
        const at = `attempts, ${ending.state}${isRetried ? " twice, by a retry" : ""}`;
        // What is left for the end before a retry may be called, as it is due, or dropped, as the job has not ended.
        if (isRetried && hook.attempts.length === before + 3) {
          context.expect.equal(hook.attempts.length, before + 3, at);
          continue;
        }
        const { length } = await countedCallsOf(context, hook, wanted);
        context.expect.equal(length, wanted, at);
      }
    },
  },
];

function endingCheck(ending: Ending): Check {
  const { workMs = 0 } = ending;
  return {
    name: `webhook/after-${nameOfEnding(ending)}`,
    title: `whether a job that ends ${ending.state} calls its webhook, and what it then brings`,
    covers: ["HOOK-10", "HOOK-02", "HOOK-03"],
    needs: [ending.kind, "webhook"],
    ...(workMs > 0 && { slowMs: workMs + 1000 }),
    realTimeMs: workMs + 6000,
    run: async (context) => {
      const { expect, receiver, time } = context;
      const hook = (await receiver()).hook();
      const { job, attempts } = await reach(context, ending, hook);
      expect.reading(attempts.length > 0 ? "called" : "not called", ending.state);
      const current = await readJob(context, job.id);
      expect.of("HOOK-02").equal(current.status, ending.state, "state when it was compared");
      for (const attempt of attempts) {
        expectSameRecord(expect.of("HOOK-02"), attempt, { record: current, at: ending.state });
      }
      // On a real clock only what is repeated at once is seen.
      await time.advance(silenceMs(time));
      const repeated = hook.attempts.slice(1).length;
      if (repeated > 0) await requireCountableCalls(context, hook);
      expect.of("HOOK-03").equal(repeated, 0, `further calls, ${ending.state}`);
    },
  };
}
