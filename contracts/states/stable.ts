import { runToCompletion, submitJob } from "../../harness/jobs/fixtures.ts";
import { stateOf } from "../../harness/record.ts";
import { statusAfter, statusBefore } from "../../harness/jobs/job-state.ts";
import { runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import { retentionMs } from "../../harness/jobs/retention.ts";
import type { Check } from "../../harness/check.ts";
import { endings, nameOfEnding, reachEnding } from "../endings.ts";
import type { Ending } from "../endings.ts";

/** The shortest ttl: it is over long before retention is. */
const ttl = 10_000;

/** The default executionTimeout, at which a timer that was not stopped would fire. */
const lateTimeoutMs = 600_000;

/** Checks that a final state is final (LIFE-02). */
export const stableChecks: readonly Check[] = [
  ...endings.map((ending) => stays(ending)),
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

function stays(ending: Ending): Check {
  const { state, kind, workMs = 0 } = ending;
  // The retention of a job that never completed is not stated: it is watched for a minute.
  const keptMs = state === "CANCELLED" ? retentionMs.runsync : retentionMs.run;
  const refusesRetry = state === "COMPLETED" || state === "CANCELLED";
  return {
    name: `states/${nameOfEnding(ending)}-stays`,
    title: `a job that is ${state} stays so: read, cancelled, purged around, and when its times run out`,
    covers: ["LIFE-02"],
    needs: [kind],
    ...(workMs > 0 && { slowMs: workMs + 1000 }),
    stalls: true,
    purges: 1,
    realTimeMs: workMs + ttl + 4000,
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await reachEnding(context, ending, { ttl });
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
