import {
  runToCompletion,
  waitForEnd,
  waitUntilInProgress,
  submitJob,
  requireState,
} from "../../harness/jobs/fixtures.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import { statusAfter, statusBefore } from "../../harness/jobs/job-state.ts";
import { runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import { retentionMs } from "../../harness/jobs/retention.ts";
import type { Check } from "../../harness/check.ts";
import type { FinishedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { JobKind } from "../../openapi/capabilities.ts";

const executionTimeout = 5000;
/** The shortest ttl: it is over long before retention is. */
const ttl = 10_000;

/** The default executionTimeout, at which a timer that was not stopped would fire. */
const lateTimeoutMs = 600_000;

interface FinalState {
  readonly state: "COMPLETED" | "FAILED" | "TIMED_OUT" | "CANCELLED";
  readonly kind: JobKind;
  /** How long the job works before it ends; absent: it ends soon. */
  readonly workMs?: number;
  readonly reach: (context: CheckContext) => Promise<FinishedJob>;
  /** Whether a retry would be refused, so that it must not move the job. */
  readonly refusesRetry: boolean;
  /** How long the specification keeps it for certain; absent: as long as any result of run. */
  readonly keptMs?: number;
}

const states: readonly FinalState[] = [
  {
    state: "COMPLETED",
    kind: "quick",
    reach: async (context) =>
      runToEnd(context, context.jobs.quick("done"), { extra: { policy: { ttl } } }),
    refusesRetry: true,
  },
  {
    state: "FAILED",
    kind: "failing",
    reach: async (context) =>
      runToEnd(context, context.jobs.failing("asked to"), { extra: { policy: { ttl } } }),
    refusesRetry: false,
  },
  {
    state: "TIMED_OUT",
    kind: "slow",
    workMs: executionTimeout,
    reach: async (context) => {
      const policy = { executionTimeout, ttl };
      const job = await submitJob(context, context.jobs.slow(8000), { policy });
      return waitForEnd(context, job, executionTimeout + 1);
    },
    refusesRetry: false,
  },
  {
    state: "CANCELLED",
    kind: "slow",
    reach: async (context) => {
      const job = await submitJob(context, context.jobs.slow(8000), { policy: { ttl } });
      await waitUntilInProgress(context, job);
      await context.api.cancel(job.id);
      return waitForEnd(context, job);
    },
    refusesRetry: true,
    // The retention of a job that never completed is not stated: it is watched for a minute.
    keptMs: retentionMs.runsync,
  },
];

/** Checks that a final state is final (LIFE-02). */
export const stableChecks: readonly Check[] = [
  ...states.map((final) => stays(final)),
  {
    name: "states/completed-runsync-stays",
    title: "a runsync job stays COMPLETED until its retention ends",
    covers: ["LIFE-02"],
    needs: ["quick"],
    realTimeMs: 3000,
    run: async (context) => {
      const { api, time, expect } = context;
      const input = context.jobs.quick("sync");
      const job = await runToEnd(context, input, { by: "runsync" });
      expect.equal(stateOf(await api.status(job.id)), "COMPLETED", "just after its end");
      await api.cancel(job.id);
      await api.retry(job.id);
      const ageMs = time.choose({ virtual: retentionMs.runsync, real: 2000 });
      const exchange = await statusBefore(context, job.id, job.finishedAt, ageMs);
      expect.equal(stateOf(exchange), "COMPLETED", "before its retention ends");
    },
  },
  {
    name: "states/final-while-others-work",
    title: "final states stay while other jobs are submitted, fail and are cancelled",
    covers: ["LIFE-02"],
    needs: ["quick"],
    run: async (context) => {
      const { api, expect, jobs, offers } = context;
      const done = await runToCompletion(context, "first");
      const failed = await runToFailureIfOffered(context);
      for (let round = 0; round < 5; round += 1) {
        await runToCompletion(context, round);
        await runToFailureIfOffered(context);
        const input = offers("slow") ? jobs.slow(60_000) : jobs.quick("cancelled");
        await api.cancel((await submitJob(context, input)).id);
        expect.equal(stateOf(await api.status(done.id)), "COMPLETED", `round ${round}`);
        for (const { id } of failed) {
          expect.equal(stateOf(await api.status(id)), "FAILED", `round ${round}`);
        }
      }
    },
  },
];

function stays(final: FinalState): Check {
  const { state, kind, workMs = 0, reach, refusesRetry, keptMs = retentionMs.run } = final;
  return {
    name: `states/${state.toLowerCase().replace("_", "-")}-stays`,
    title: `a job that is ${state} stays so: read, cancelled, purged around, and when its times run out`,
    covers: ["LIFE-02"],
    needs: [kind],
    ...(workMs > 0 && { slowMs: workMs + 1000 }),
    stalls: true,
    purges: 1,
    realTimeMs: workMs + ttl + 4000,
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await reach(context);
      requireState(job, state);
      const still = async (moment: string): Promise<void> => {
        expect.equal(stateOf(await api.status(job.id)), state, moment);
      };
      await still("read again");
      await api.stream(job.id);
      await still("after stream");
      await api.cancel(job.id);
      await still("after cancel");
      if (refusesRetry) {
        await api.retry(job.id);
        await still("after a retry that is refused");
      }
      await context.workers.whileStalled(async () => context.endpoint.purge());
      await still("after a purge");
      const expired = await statusAfter(context, job.id, job.submittedAt, ttl);
      expect.equal(stateOf(expired), state, "after its ttl, its timeout and the end of its work");
      if (!time.virtual) return;
      const late = await statusBefore(context, job.id, job.finishedAt, keptMs);
      expect.equal(stateOf(late), state, `${keptMs} ms after its end`);
      if (keptMs >= lateTimeoutMs) return;
      const later = await statusAfter(context, job.id, job.finishedAt, lateTimeoutMs);
      const got = stateOf(later);
      const isGone = (later.answer?.status ?? 0) >= 400;
      expect.that(isGone || got === state, {
        at: "when its work would have been terminated",
        expected: `${state}, or no job any more`,
        got,
      });
    },
  };
}
