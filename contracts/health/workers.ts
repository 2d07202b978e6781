import {
  runToCompletion,
  runToFailure,
  waitUntilInProgress,
  inputs,
  submitJob,
  waitForCompletion,
} from "../../harness/index.ts";
import type { Check, SubmittedJob } from "../../harness/index.ts";
import { expectWorkers } from "./counts.ts";

/** Longer than any check looks: what works this long has to be cancelled. */
const longJobMs = 60_000;

/** Checks of the workers that health counts (HLTH-05). */
export const healthWorkerChecks: readonly Check[] = [
  {
    name: "health/workers-idle-and-running",
    title: "running is the number of workers that process a job, idle that of the free ones",
    covers: ["HLTH-05"], // running is the number of workers processing a job, idle the number that are free.
    endpoint: { workers: 3 },
    exclusive: true,
    run: async (context) => {
      const { api, workers } = context;
      await workers.set(3);
      await expectWorkers(context, { idle: 3, running: 0, at: "3 workers, no job" });
      const jobs: SubmittedJob[] = [];
      for (let number = 1; number <= 4; number += 1) {
        jobs.push(await submitJob(context, inputs.sleep(longJobMs)));
        const running = Math.min(number, 3);
        const at = `3 workers, ${String(number)} jobs`;
        await expectWorkers(context, { idle: 3 - running, running, at });
      }
      await workers.set(6);
      await expectWorkers(context, { idle: 2, running: 4, at: "6 workers, 4 jobs" });
      await workers.set(4);
      await expectWorkers(context, { idle: 0, running: 4, at: "4 workers, 4 jobs" });
      await workers.set(2);
      await expectWorkers(context, { idle: 0, running: 4, at: "2 workers wanted, 4 busy" });
      for (const [index, { id }] of jobs.entries()) {
        await api.cancel(id);
        const running = jobs.length - index - 1;
        const at = `2 workers wanted, ${String(running)} jobs left`;
        await expectWorkers(context, { idle: Math.max(0, 2 - running), running, at });
      }
      await workers.set(0);
      await expectWorkers(context, { idle: 0, running: 0, at: "no worker, no job" });
    },
  },
  {
    name: "health/workers-free-again",
    title: "a worker is idle again when its job has completed, failed or timed out",
    covers: ["HLTH-05"], // running is the number of workers processing a job, idle the number that are free.
    realTimeMs: 8000,
    endpoint: { workers: 2 },
    exclusive: true,
    run: async (context) => {
      await context.workers.set(2);
      const all = { idle: 2, running: 0 };
      await runToCompletion(context);
      await expectWorkers(context, { ...all, at: "after a job completed" });
      await runToFailure(context);
      await expectWorkers(context, { ...all, at: "after a job failed" });
      const policy = { executionTimeout: 5000 };
      const job = await submitJob(context, inputs.sleep(longJobMs), { policy });
      await waitUntilInProgress(context, job);
      await expectWorkers(context, { idle: 1, running: 1, at: "while a job works" });
      await waitForCompletion(context, job, policy.executionTimeout);
      await expectWorkers(context, { ...all, at: "after a job timed out" });
    },
  },
];
