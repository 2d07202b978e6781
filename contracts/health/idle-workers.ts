import { Inconclusive } from "../../harness/outcome.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import { submitJob } from "../../harness/jobs/fixtures.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { readCounts } from "./counts.ts";
import { inState } from "./jobs.ts";

/** As many cancels as the cap on them lets through at once. */
const jobsMax = 20;
/** A server of somebody's own may have to start the worker that it shows as idle. */
const takenWithinMs = { virtual: 0, real: 25_000 };

/** Checks that the workers that health shows as idle are free indeed (LIFE-03, HLTH-05). */
export const idleWorkerChecks: readonly Check[] = [
  {
    name: "health/idle-workers-take-jobs",
    title: "as many jobs are processed at once as health shows idle workers",
    covers: ["LIFE-03", "HLTH-05"],
    needs: ["handler"],
    endpoint: { workers: 3 },
    realTimeMs: 1000,
    exclusive: true,
    run: async (context) => {
      const { expect } = context;
      const waiting = await jobsNoIdleWorkerTakes(context);
      for (const id of ["LIFE-03", "HLTH-05"] as const) {
        expect.of(id).equal(waiting, 0, "jobs that wait, of one for each idle worker");
      }
    },
  },
];

/**
 * Submits a job for each worker that health shows as idle, and returns how many of them stay in the queue. To be called
 * where nobody else submits; ends the jobs.
 * @throws Inconclusive where health shows no idle worker, at first or, on an endpoint that others may use, in the end
 */
export async function jobsNoIdleWorkerTakes(context: CheckContext): Promise<number> {
  const { api, time, jobs, offers } = context;
  api.demandInProgress();
  const { idle } = await readCounts(context);
  if (idle < 1) throw new Inconclusive("health shows no idle worker");
  const submitted = await Promise.all(
    Array.from({ length: Math.min(idle, jobsMax) }, async () =>
      submitJob(context, jobs.slow(longJobMs)),
    ),
  );
  const countWaiting = async (): Promise<number> =>
    (await inState(context, submitted, "IN_QUEUE")).length;
  const withinMs = time.choose(takenWithinMs);
  const waiting = await time.until(countWaiting, (count) => count === 0, withinMs);
  const left = waiting === 0 ? undefined : await readCounts(context);
  await Promise.all(submitted.map(async ({ id }) => api.cancel(id)));
  // Others may use an endpoint that was not made for this check, and their jobs may have taken the workers.
  if (left?.idle === 0 && !offers("endpoints"))
    throw new Inconclusive("jobs wait, and no worker is idle any more");
  return waiting;
}
