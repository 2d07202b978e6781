import { readRecord } from "../../harness/record.ts";
import { requireState, submitJob, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { show } from "../../harness/show.ts";
import { startJob } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { FinishedJob, SubmittedJob } from "../../harness/jobs/fixtures.ts";
import { exactly, expectQueueAndWorkTimes, queuedMs, workedMs } from "./times.ts";

/** Checks of the times of jobs that are cancelled, and of what status shows of them before (STAT-05). */
export const statusStoppedTimesChecks: readonly Check[] = [
  {
    name: "status/times-of-cancelled-jobs",
    title:
      "the times of a job cancelled in the queue or at work tell how long it waited and worked",
    covers: ["STAT-05"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 6000,
    stalls: true,
    stallMsMax: queuedMs,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const cancel = async (
        job: SubmittedJob,
        ms: number,
        look: () => Promise<void>,
      ): Promise<FinishedJob> => {
        await time.pass(ms);
        await look();
        await api.cancel(job.id);
        return waitForEnd(context, job);
      };
      const busy = await startJob(context, context.jobs.slow(60_000));
      const delayed = await timeShown(context, busy, { of: "delayTime", in: "IN_PROGRESS" });
      const stopped = await cancel(busy, workedMs, async () => {
        const later = await timeShown(context, busy, { of: "delayTime", in: "IN_PROGRESS" });
        // On a real clock a worker may correct by a little when it took the job.
        const grownMs = Number(later ?? 0) - Number(delayed ?? later ?? 0);
        const [at, expected, got] = ["delayTime at work, read later", show(delayed), show(later)];
        expect.that(grownMs <= time.choose({ virtual: 0, real: 1500 }), { at, expected, got });
      });
      const queued = await workers.whileStalled(async () => {
        const waiting = await submitJob(context, context.jobs.slow(60_000));
        return cancel(waiting, queuedMs, async () => {
          const worked = await timeShown(context, waiting, { of: "executionTime", in: "IN_QUEUE" });
          expect.equal(worked ?? 0, 0, "executionTime in the queue, where it is shown");
        });
      });
      for (const { at, job, queueMs, workMs } of [
        { at: "a job cancelled at work", job: stopped, queueMs: 0, workMs: workedMs },
        { at: "a job cancelled in the queue", job: queued, queueMs: queuedMs, workMs: 0 },
      ]) {
        requireState(job, "CANCELLED");
        expectQueueAndWorkTimes(context, job, { at, queueMs, workMs, work: exactly(workMs) });
      }
    },
  },
];

/** A time that status shows of a job in this state; nothing where it shows none, or is in another state by now. */
async function timeShown(
  { api }: CheckContext,
  { id }: SubmittedJob,
  wanted: { readonly of: "delayTime" | "executionTime"; readonly in: string },
): Promise<unknown> {
  const read = readRecord(await api.status(id));
  return read.ok && read.body.status === wanted.in ? read.body[wanted.of] : undefined;
}
