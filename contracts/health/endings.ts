import {
  arranged,
  completed,
  failed,
  finished,
  inputs,
  readRecord,
  started,
  submitted,
} from "../../harness/index.ts";
import type { Check, SubmittedJob, Tools } from "../../harness/index.ts";
import { counts, difference, expectEnded, settled } from "./counts.ts";

/** Longer than any check looks: what works this long has to be cancelled. */
const longJobMs = 60_000;

/** Checks of the jobs that health counts as they end and are retried (HLTH-03, HLTH-04). */
export const healthEndingChecks: readonly Check[] = [
  {
    name: "health/counts-ended-jobs",
    title: "completed and failed each grow by one with a job that completes or fails",
    covers: ["HLTH-03"],
    exclusive: true,
    run: async (tools) => {
      const { api, time } = tools;
      const base = await counts(tools);
      await completed({ api, time });
      await expectEnded(tools, base, { completed: 1, failed: 0, at: "1 completed" });
      await expectEnded(tools, base, { completed: 1, failed: 0, at: "health read again" });
      await failed({ api, time });
      await expectEnded(tools, base, { completed: 1, failed: 1, at: "1 completed, 1 failed" });
      await completed({ api, time });
      await failed({ api, time });
      await failed({ api, time });
      await expectEnded(tools, base, { completed: 2, failed: 3, at: "2 completed, 3 failed" });
      await api.runsync({ input: inputs.echo("sync") });
      await expectEnded(tools, base, { completed: 3, failed: 3, at: "a runsync job completed" });
      await api.runsync({ input: inputs.fail("sync") });
      await expectEnded(tools, base, { completed: 3, failed: 4, at: "a runsync job failed" });
    },
  },
  {
    name: "health/counts-jobs-only-as-they-end",
    title: "completed and failed do not grow with a job that waits, works or is cancelled",
    covers: ["HLTH-03"],
    realTimeMs: 2000,
    exclusive: true,
    run: async (tools) => {
      const { api, time, workers } = tools;
      const base = await counts(tools);
      const none = { completed: 0, failed: 0 };
      const working = await started({ api, time }, inputs.sleep(longJobMs));
      await expectEnded(tools, base, { ...none, at: "a job works" });
      await workers.stall();
      const waiting = await submitted({ api, time }, inputs.echo("waits"));
      await expectEnded(tools, base, { ...none, at: "a job waits" });
      await api.cancel(waiting.id);
      await api.cancel(working.id);
      await expectEnded(tools, base, { ...none, at: "both were cancelled" });
      await workers.resume();
    },
  },
  {
    name: "health/counts-a-job-that-completes-at-last",
    title: "completed grows when a job that has failed before completes after a retry",
    covers: ["HLTH-03"],
    exclusive: true,
    run: async (tools) => {
      const { api, time } = tools;
      const base = await counts(tools);
      const job = await submitted({ api, time }, inputs.flaky(1, "at last"));
      await finished({ api, time }, job);
      await expectEnded(tools, base, { completed: 0, failed: 1, at: "the first attempt failed" });
      await retryToEnd(tools, job);
      const { completed: grown } = difference(await settled(tools, base, { completed: 1 }), base);
      tools.expect.equal(grown, 1, "the second attempt completed: completed");
    },
  },
  {
    name: "health/counts-a-job-that-fails-again",
    title: "failed grows also when a job fails again after a retry",
    covers: ["HLTH-03"],
    exclusive: true,
    run: async (tools) => {
      const { api, time, workers } = tools;
      const job = await failed({ api, time });
      await workers.stall();
      arranged(readRecord(await api.retry(job.id)), "a job had to be retried, but retry gave");
      // From here on: whether a retry takes the first failure back is not stated.
      const base = await counts(tools);
      await workers.resume();
      await finished({ api, time }, job);
      await expectEnded(tools, base, { completed: 0, failed: 1, at: "failed again" });
    },
  },
  {
    name: "health/counts-retries",
    title: "retried grows by one with each retry, and with nothing else",
    covers: ["HLTH-04"],
    exclusive: true,
    run: async (tools) => {
      const { api, time, expect } = tools;
      const base = await counts(tools);
      const expectRetried = async (retried: number, at: string): Promise<void> => {
        const seen = difference(await settled(tools, base, { retried }), base);
        expect.equal(seen.retried, retried, at);
      };
      const stubborn = await submitted({ api, time }, inputs.flaky(2, "at last"));
      const done = await completed({ api, time });
      const other = await failed({ api, time });
      await finished({ api, time }, stubborn);
      await expectRetried(0, "jobs have ended, none was retried");
      await retryToEnd(tools, stubborn);
      await expectRetried(1, "a job retried");
      await retryToEnd(tools, stubborn);
      await expectRetried(2, "the same job retried again");
      await retryToEnd(tools, other);
      await expectRetried(3, "another job retried");
      await api.retry(done.id);
      await api.retry(`${done.id}-unknown`);
      await expectRetried(3, "retries of a completed and an unknown job refused");
    },
  },
];

/** Retries a failed job and waits for its next end. */
async function retryToEnd({ api, time }: Tools, job: SubmittedJob): Promise<void> {
  arranged(readRecord(await api.retry(job.id)), "a job had to be retried, but retry gave");
  await finished({ api, time }, job);
}
