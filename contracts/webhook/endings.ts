import {
  requireState,
  waitForEnd,
  waitUntilInProgress,
  isSuccess,
  readJob,
  Inconclusive,
} from "../../harness/index.ts";
import type { Check, SubmittedJob, CheckContext, Jobs } from "../../harness/index.ts";
import type { JobKind } from "../../openapi/index.ts";
import type { Hook } from "../../harness/webhooks/hook.ts";
import { callsOf, countedCallsOf, expectSameRecord, spacingMs, submitJobWith } from "./calls.ts";

/** A job that is to end in a certain state, and what has to be done for it. */
interface Ending {
  readonly state: "FAILED" | "TIMED_OUT" | "CANCELLED";
  readonly realTimeMs: number;
  readonly kind: JobKind;
  readonly slowMs?: number;
  readonly submission: (jobs: Jobs) => Readonly<Record<string, unknown>>;
  readonly withinMs: number;
  readonly bringAbout?: (context: CheckContext, job: SubmittedJob) => Promise<void>;
}

const executionTimeout = 5000;

const endings: readonly Ending[] = [
  {
    state: "FAILED",
    realTimeMs: 6000,
    kind: "failing",
    submission: (jobs) => ({ input: jobs.failing("asked to fail") }),
    withinMs: 0,
  },
  {
    state: "TIMED_OUT",
    realTimeMs: executionTimeout + 6000,
    kind: "slow",
    slowMs: executionTimeout + 1000,
    submission: (jobs) => ({ input: jobs.slow(60_000), policy: { executionTimeout } }),
    withinMs: executionTimeout + 1,
  },
  {
    state: "CANCELLED",
    realTimeMs: 6000,
    kind: "slow",
    submission: (jobs) => ({ input: jobs.slow(60_000) }),
    withinMs: 0,
    bringAbout: async (context, job) => {
      await waitUntilInProgress(context, job);
      const { answer } = await context.api.cancel(job.id);
      if (answer === undefined || !isSuccess(answer))
        throw new Inconclusive("cancel did not succeed");
    },
  },
];

/**
 * One check for each ending: whether it calls the webhook may differ, so each gives a reading of its own. Whatever the
 * ending, a call brings the status record, and is made again where it fails.
 */
export const endingChecks: readonly Check[] = endings.map((ending) => endingCheck(ending));

function endingCheck(ending: Ending): Check {
  return {
    name: `webhook/after-${ending.state.toLowerCase().replace("_", "-")}`,
    title: `whether a job that ends ${ending.state} calls its webhook, and what it then brings`,
    covers: [
      "HOOK-10", // Is the webhook called for a job that ends FAILED, TIMED_OUT or CANCELLED.
      "HOOK-02", // The body carries the same information as the job's status response.
      "HOOK-04", // A failed call is made up to 2 more times: 3 in all, and no more.
    ],
    needs: [ending.kind, "webhook"],
    ...(ending.slowMs !== undefined && { slowMs: ending.slowMs }),
    realTimeMs: ending.realTimeMs,
    run: async (context) => {
      const { expect, receiver } = context;
      const hook = (await receiver()).hook(500);
      const { input, ...extra } = ending.submission(context.jobs);
      const job = await submitJobWith(context, hook, { input, extra });
      await ending.bringAbout?.(context, job);
      requireState(await waitForEnd(context, job, ending.withinMs), ending.state);
      const attempts = await callsOf(context, hook, 1);
      expect.reading(attempts.length > 0 ? "called" : "not called", ending.state);
      const current = await readJob(context, job.id);
      expect.of("HOOK-02").equal(current.status, ending.state, "state when it was compared");
      for (const attempt of attempts) {
        expectSameRecord(expect.of("HOOK-02"), attempt, { record: current, at: ending.state });
      }
      await expectThreeAttempts(context, hook, ending.state);
    },
  };
}

/** Records a difference where an ending that calls the webhook does not call it three times while it fails. */
async function expectThreeAttempts(
  context: CheckContext,
  hook: Hook,
  state: Ending["state"],
): Promise<void> {
  const { time, expect } = context;
  const isCalled = hook.attempts.length > 0;
  // On a real clock nobody waits for attempts that say nothing new of most targets.
  const afterMs = time.choose({ virtual: 3 * spacingMs + 1, real: 0 });
  if (isCalled && afterMs > 0) {
    await time.pass(afterMs);
    await countedCallsOf(context, hook, 3);
  }
  const { length: count } = hook.attempts;
  const wanted = isCalled && afterMs > 0 ? count === 3 : count <= 3;
  const got = String(count);
  expect.of("HOOK-04").that(wanted, { at: `attempts, ${state}`, expected: "3 attempts", got });
}
