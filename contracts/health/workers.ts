import { runToEnd } from "../../harness/jobs/submit.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import {
  runToCompletion,
  runToFailure,
  waitUntilInProgress,
  submitJob,
} from "../../harness/jobs/fixtures.ts";
import { waitForCompletion } from "../../harness/jobs/endings.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import { expectingCounts, readCounts, waitForCounts } from "./counts.ts";
import { sampleMs } from "../status/ttl.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { inState } from "./jobs.ts";

/** Checks of the workers that health counts (HLTH-05), and that those it shows as idle are free indeed (LIFE-03). */
export const healthWorkerChecks: readonly Check[] = [
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
  {
    name: "health/workers-idle-and-running",
    title: "running is the number of workers that process a job, idle that of the free ones",
    covers: ["HLTH-05"],
    endpoint: { workers: 3 },
    exclusive: true,
    run: async (context) => {
      const { api, workers } = context;
      const expectWorkers = expectingCounts(context);
      await workers.set(3);
      await expectWorkers({ idle: 3, running: 0 }, "3 workers, no job");
      const jobs: SubmittedJob[] = [];
      for (let number = 1; number <= 4; number += 1) {
        jobs.push(await submitJob(context, context.jobs.slow(longJobMs)));
        const running = Math.min(number, 3);
        const at = `3 workers, ${number} jobs`;
        await expectWorkers({ idle: 3 - running, running }, at);
      }
      await workers.set(6);
      await expectWorkers({ idle: 2, running: 4 }, "6 workers, 4 jobs");
      await workers.set(4);
      await expectWorkers({ idle: 0, running: 4 }, "4 workers, 4 jobs");
      await workers.set(2);
      await expectWorkers({ idle: 0, running: 4 }, "2 workers wanted, 4 busy");
      for (const [index, { id }] of jobs.entries()) {
        await api.cancel(id);
        const running = jobs.length - index - 1;
        const at = `2 workers wanted, ${running} jobs left`;
        await expectWorkers({ idle: Math.max(0, 2 - running), running }, at);
      }
      await workers.set(0);
      await expectWorkers({ idle: 0, running: 0 }, "no worker, no job");
      if (context.offers("scaling") && context.offers("endpoints")) await expectFewest(context);
    },
  },
  {
    name: "health/crash-leaves-nothing",
    title:
      "a job whose worker has crashed is in no count of waiting jobs and work once it has ended",
    covers: ["HLTH-02", "HLTH-03", "HLTH-05"],
    needs: ["handler", "workers", "endpoints", "crash"],
    endpoint: { workers: 3 },
    realTimeMs: 60_000,
    run: async (context) => {
      const before = await readCounts(context);
      const { record } = await runToEnd(context, inputs.crash(), {}, 60_000);
      const least = record.status === "FAILED" ? 1 : 0;
      // A worker that has crashed is replaced at once (docs/control-protocol.md).
      const wanted = { inQueue: 0, inProgress: 0, idle: 3, running: 0 };
      const seen = await waitForCounts(context, undefined, {
        ...wanted,
        ...(least > 0 && { failed: before.failed + least }),
      });
      const failed = seen.failed - before.failed;
      context.expect.of("HLTH-03").that(failed >= least && failed <= 1, {
        at: `growth of failed, by a job that is ${record.status} after a crash`,
        expected: `at least ${least}, at most 1`,
        got: String(failed),
      });
      for (const name of ["inQueue", "inProgress"] as const) {
        context.expect.of("HLTH-02").equal(seen[name], 0, `${name} after a crash`);
      }
      const { idle, running } = seen;
      context.expect.of("HLTH-05").equal({ idle, running }, { idle: 3, running: 0 }, "workers");
    },
  },
  {
    name: "health/workers-free-again",
    title: "a worker is idle again when its job has completed, failed, timed out or expired",
    covers: ["HLTH-05"],
    realTimeMs: 8000,
    endpoint: { workers: 2 },
    exclusive: true,
    run: async (context) => {
      const expectWorkers = expectingCounts(context);
      await context.workers.set(2);
      const all = { idle: 2, running: 0 };
      await runToCompletion(context);
      await expectWorkers(all, "after a job completed");
      await runToFailure(context);
      await expectWorkers(all, "after a job failed");
      const policy = { executionTimeout: 5000 };
      const job = await submitJob(context, context.jobs.slow(longJobMs), { policy });
      await waitUntilInProgress(context, job);
      await expectWorkers({ idle: 1, running: 1 }, "while a job works");
      await waitForCompletion(context, job, policy.executionTimeout);
      await expectWorkers(all, "after a job timed out");
      // On a real clock this would take seconds and show no more.
      for (const ttl of context.time.choose({ virtual: [sampleMs], real: [] })) {
        const expiring = await submitJob(context, context.jobs.slow(longJobMs));
        await waitUntilInProgress(context, expiring);
        await context.api.status(expiring.id, { ttl });
        await context.time.pass(ttl + 1);
        await expectWorkers(all, "after a job expired at work");
      }
    },
  },
];

/** An endpoint that scales starts with its fewest workers (docs/control-protocol.md): none that it may add is free. */
async function expectFewest(context: CheckContext): Promise<void> {
  const scaling = await context.anotherEndpoint({ scaling: { min: 1, max: 4 } });
  const { idle, running } = await waitForCounts(scaling, undefined, { idle: 1, running: 0 });
  const at = "workers of an endpoint that may have 1 to 4, before its first job";
  context.expect.equal({ idle, running }, { idle: 1, running: 0 }, at);
}

/** As many cancels as the cap on them lets through at once. */
const jobsMax = 20;
/** A server of somebody's own may have to start the worker that it shows as idle. */
const takenWithinMs = { virtual: 0, real: 25_000 };

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
