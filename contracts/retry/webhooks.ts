import { isDeepStrictEqual } from "node:util";

import { retryToEnd, requireState } from "../../harness/jobs/fixtures.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { Hook, HookAttempt } from "../../harness/webhooks/hook.ts";
import {
  awaitCompletions,
  completionsIn,
  recordIn,
  requireCountableCalls,
  silenceMs,
  spacingMs,
} from "../webhook/calls.ts";
import { runToFailureBy } from "./endings.ts";

/** Checks that a retried job calls its webhook anew (RETR-08). */
export const retryWebhookChecks: readonly Check[] = [
  {
    name: "retry/webhook-anew",
    title:
      "the webhook is called when a job completes that was retried, once or twice, with its record",
    covers: ["RETR-08", "HOOK-03"],
    run: async (context) => {
      const { expect, time } = context;
      const receiver = await context.receiver();
      const hooks: Hook[] = [];
      await callsOfPlainJob(context, receiver.hook());
      for (const { retries, isCancelled, when } of [
        { retries: 1, isCancelled: false, when: "retries: 1" },
        { retries: 2, isCancelled: false, when: "retries: 2" },
        { retries: 1, isCancelled: true, when: "after a cancel that came too late" },
      ]) {
        const hook = receiver.hook();
        const job = await runToFailureBy(context, context.jobs.failingFirst(retries, "hooked"), {
          extra: { webhook: hook.url },
        });
        if (isCancelled) await context.api.cancel(job.id);
        if (retries > 1) await retryToEnd(context, job);
        await retriedToCompletion(context, job);
        const calls = await awaitCompletions(context, hook);
        expect
          .of("RETR-08")
          .equal(calls, 1, `calls of the webhook with the completed record, ${when}`);
        hooks.push(hook);
      }
      // On a real clock only what is repeated at once is seen.
      await time.advance(silenceMs(time));
      for (const hook of hooks) {
        const calls = await awaitCompletions(context, hook);
        expect.of("HOOK-03").equal(calls, 1, "calls with the completed record in the end");
      }
    },
  },
  {
    name: "retry/webhook-attempts-anew",
    title:
      "a webhook whose calls failed, or told of a failure, is called as often after a retry as for a job never retried",
    covers: ["RETR-08", "HOOK-05"],
    needs: ["handler", "webhook", "clock"],
    run: async (context) => {
      const { time, expect } = context;
      const receiver = await context.receiver();
      const plainHook = receiver.hook(500);
      const plain = await callsOfPlainJob(context, plainHook, 60_000);
      for (const [reply, at] of [
        [500, "whose calls of its failure failed"],
        [200, "whose failure was acknowledged"],
      ] as const) {
        const hook = receiver.hook(reply, 500);
        const job = await runToFailureBy(context, context.jobs.failingFirst(1, "hooked"), {
          extra: { webhook: hook.url },
        });
        await time.pass(60_000);
        // Whether a failure calls its webhook is open (HOOK-10): where it does not, 200 is the answer to the completion.
        if (reply === 200 && hook.attempts.length === 0) continue;
        await retriedToCompletion(context, job);
        const made = [];
        for (const passMs of [spacingMs - 1, 2, 50_000]) {
          await time.pass(passMs);
          made.push(completionsIn(hook));
        }
        // Where there is no second call at all, nothing is said of when it comes.
        const aroundTenSeconds = [1, Math.min(2, made.at(-1) ?? 0)];
        if (!isDeepStrictEqual(made, [...aroundTenSeconds, plain])) {
          await requireCountableCalls(context, plainHook);
          await requireCountableCalls(context, hook);
        }
        const words = `calls after the retry of a job ${at}, none of them acknowledged`;
        expect.of("RETR-08").equal(made.at(-1), plain, words);
        expect
          .of("HOOK-05")
          .equal(made.slice(0, 2), aroundTenSeconds, `attempts 1 ms around 10 s: ${words}`);
      }
    },
  },
  {
    name: "retry/webhook-of-a-job-that-fails-again",
    title: "the webhook that told of a failure is called again each time the retried job ends",
    covers: ["RETR-08", "HOOK-08"],
    needs: ["failing", "webhook"],
    run: async (context) => {
      const { time, jobs, expect } = context;
      const hook = (await context.receiver()).hook();
      const input = jobs.exact ? jobs.failingFirst(2, "hooked") : jobs.failing("hooked");
      const job = await runToFailureBy(context, input, { extra: { webhook: hook.url } });
      const countCalls = async (): Promise<number> => hook.attempts.length;
      const callsAtLeast = async (wanted: number): Promise<number> =>
        time.until(countCalls, (count) => count >= wanted);
      // Whether a job that failed calls its webhook is open (HOOK-10).
      const isCalledForFailures = (await callsAtLeast(1)) > 0;
      if (!isCalledForFailures && !jobs.exact)
        throw new Unsupported("no webhook is called for a job that fails");
      for (const retries of [1, 2]) {
        const { record } = await retryToEnd(context, job);
        const endings = isCalledForFailures ? retries + 1 : Number(record.status === "COMPLETED");
        const calls = await callsAtLeast(endings);
        if (calls < endings) await requireCountableCalls(context, hook);
        expect
          .about(hook)
          .of("RETR-08")
          .that(calls >= endings, {
            at: `calls of the webhook, retries: ${retries}`,
            expected: `${endings} or more`,
            got: String(calls),
          });
      }
      // Each end has called by the time of the next retry, so that no call tells what came after its end.
      const early = hook.attempts.filter((attempt) => !tellsOfAnEnd(attempt));
      expect.of("HOOK-08").equal(early.length, 0, "calls that tell of no end");
    },
  },
];

/**
 * Counts the calls of the webhook of a job that is not retried.
 * @throws Inconclusive where there is none: then a retry can show nothing
 */
async function callsOfPlainJob(context: CheckContext, hook: Hook, withinMs = 0): Promise<number> {
  await runToEnd(context, context.jobs.quick("plain"), { extra: { webhook: hook.url } });
  const calls = async (): Promise<number> => hook.attempts.length;
  await context.time.until(calls, (count) => count > 0);
  await context.time.pass(withinMs);
  if (hook.attempts.length === 0)
    throw new Inconclusive("no webhook is called at all", ["HOOK-01"]);
  return hook.attempts.length;
}

/** Retries a job and waits for its next end. @throws Inconclusive where that is not COMPLETED */
export async function retriedToCompletion(context: CheckContext, job: SubmittedJob): Promise<void> {
  requireState(await retryToEnd(context, job), "COMPLETED");
}

function tellsOfAnEnd(attempt: HookAttempt): boolean {
  const status = recordIn(attempt)?.["status"];
  return status === "FAILED" || status === "COMPLETED";
}
