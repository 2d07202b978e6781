import { decimal, isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { afterRead, inTime } from "./builders/answers.ts";
import { fault, remembering, withCounts } from "./builders/compose.ts";
import { both } from "./builders/conditions.ts";
import { atEvent } from "./builders/events.ts";
import { hasEnded, hasWaited, isRun, isRunsync, hasStreamed } from "./builders/jobs.ts";
import { also, except, instead, result, whenever } from "./builders/member.ts";

const MINUTE_MS = 60_000;

/** Bugs that show only with a job of another kind than most: one that streams, waits for minutes, works for hours or is read often. */
export const kindFaults: readonly Fault[] = [
  fault("run/streamed-jobs-are-kept-an-hour", ["RUNA-05"], {
    describe: "A run job that has streamed is kept for an hour.",
    change: instead("retention.keptMs", 60 * MINUTE_MS, both(isRun, hasStreamed)),
  }),
  fault("run/reading-a-stream-prolongs", ["RUNA-07"], {
    describe: "Reading the stream of a job that has streamed starts its retention anew.",
    change: also(
      "retention.isProlongedBy",
      (operation, job) => operation === "stream" && hasStreamed(job),
    ),
  }),
  fault("runsync/kept-as-long-as-its-wait", ["SYNC-09"], {
    describe:
      "The result of a runsync job that worked for a while is kept for as long as its wait.",
    change: result("retention.keptMs", (ms, job) =>
      isRunsync(job) && job.startedAtMs !== job.finishedAtMs
        ? Math.min(299_000, Math.max(ms, job.waitMs))
        : ms,
    ),
  }),
  fault("status/reading-wears-the-job-out", ["STAT-08"], {
    describe: "A job that was read 60 times is not found any more.",
    change: withCounts((reads) => [
      afterRead(hasEnded, (job) => void reads.add(job)),
      except("retention.shows", (job) => reads.of(job) >= 60),
    ]),
  }),
  fault("status/refused-ttl-deletes-the-job", ["STAT-08"], {
    describe: "A ttl that status refuses makes a job that waits go away.",
    change: remembering({ gone: new Set<Job>(), asked: [] as Job[] }, ({ gone, asked }) => [
      whenever("retention.shows", (job, operation) => {
        asked.length = 0;
        if (operation === "status" && job.status === "IN_QUEUE") asked.push(job);
      }),
      whenever("operations.acceptsStatusTtl", (text) => {
        if ((decimal(text) ?? 0) <= 0) for (const job of asked) gone.add(job);
      }),
      except("retention.shows", (job) => gone.has(job)),
    ]),
  }),
  fault("stream/of-a-job-that-waited-lacks-its-first-chunk", ["STRM-02"], {
    describe: "The first chunk of a job that waited in the queue is not shown.",
    change: result("stream.take", (chunks, job) => (hasWaited(job) ? chunks.slice(1) : chunks)),
  }),
  fault("status/long-waits-add-to-the-work", ["STAT-05"], {
    describe: "executionTime of a job that waited for more than a minute includes its wait.",
    change: inTime("operations.executionMs", (ms, { queuedAtMs, startedAtMs = queuedAtMs }) => {
      const waitedMs = startedAtMs - queuedAtMs;
      return waitedMs <= MINUTE_MS ? ms : ms + waitedMs;
    }),
  }),
  fault("health/work-of-hours-is-not-in-progress", ["HLTH-02"], {
    describe: "inProgress leaves out jobs that have worked for more than an hour.",
    change: remembering(new Set<Job>(), (taken) => [
      atEvent("worker-took", (job) => void taken.add(job)),
      result("operations.shape", (body, _specified, { operation, nowMs }) => {
        if (operation !== "health" || !isJsonObject(body)) return body;
        const old = [...taken].filter(
          ({ status, startedAtMs = nowMs }) =>
            status === "IN_PROGRESS" && nowMs - startedAtMs > 60 * MINUTE_MS,
        );
        const { jobs } = body;
        if (!isJsonObject(jobs)) return body;
        return {
          ...body,
          jobs: { ...jobs, inProgress: Math.max(0, Number(jobs["inProgress"]) - old.length) },
        };
      }),
    ]),
  }),
];
