import { inTime } from "../faults/builders/answers.ts";
import { all, remembering } from "../faults/builders/compose.ts";
import { isRunsync, isLowPriority, isRetried } from "../faults/builders/jobs.ts";
import { instead, result, type Change, replace } from "../faults/builders/member.ts";
import type { Job } from "../../reference/job.ts";
import { variation, type Variation } from "./variation.ts";
import { not, type JobCondition } from "../faults/builders/conditions.ts";

/** The order of the queue and what is counted: the specification states neither an order nor an origin. */
export const queueVariations: readonly Variation[] = [
  variation("queue/last-in-first-out", {
    describe: "A free worker takes the job that came last.",
    change: () => ({ lifecycle: { takeNext: (queue) => [...queue.values()].at(-1) } }),
  }),
  variation("queue/from-the-middle", {
    describe: "A free worker takes a job from the middle of the queue.",
    change: replace("lifecycle.takeNext", (queue) =>
      [...queue.values()].at(Math.floor(queue.size / 2)),
    ),
  }),
  variation("queue/low-priority-last", {
    describe: "Jobs of low priority are taken when no other is waiting.",
    change: takingFirst(not(isLowPriority)),
  }),
  variation("queue/retried-jobs-first", {
    describe: "A retried job is taken before those that wait for their first attempt.",
    change: takingFirst(isRetried),
  }),
  variation("queue/counters-have-a-past", {
    describe: "The counters of a fresh endpoint do not start at 0.",
    change: () => ({ origin: { counts: { completed: 41_903, failed: 1_277, retried: 333 } } }),
  }),
];

/** Lets a free worker take the first job for which `condition` holds, or the first of all where there is none. */
function takingFirst(condition: JobCondition): Change {
  return replace("lifecycle.takeNext", (queue) => {
    const jobs = [...queue.values()];
    return jobs.find(condition) ?? jobs[0];
  });
}

/** Where time starts, in which unit it is told, and how long things are kept where that is open. */
export const timeVariations: readonly Variation[] = [
  variation("time/clock-starts-at-an-odd-number", {
    describe: "The virtual clock starts at a large odd number.",
    change: () => ({ origin: { clockMs: 1_893_456_789_013 } }),
  }),
  variation("time/clock-starts-before-zero", {
    describe: "The virtual clock starts at a negative number.",
    change: () => ({ origin: { clockMs: -86_399_999 } }),
  }),
  variation("time/seconds-rounded-down", {
    describe: "delayTime and executionTime are whole seconds, rounded down.",
    shows: { "STAT-04": "seconds" },
    change: inSeconds(Math.floor),
  }),
  variation("time/seconds-rounded-up", {
    describe: "delayTime and executionTime are whole seconds, rounded up.",
    shows: { "STAT-04": "seconds" },
    change: inSeconds(Math.ceil),
  }),
  variation("time/runsync-result-is-kept-three-minutes", {
    describe: "The result of a runsync job is kept for three minutes.",
    shows: { "SYNC-08": "at some point between 1 and 5 minutes" },
    change: instead("retention.keptMs", 180_000, isRunsync),
  }),
  variation("time/runsync-result-is-kept-five-minutes", {
    describe: "The result of a runsync job is kept for five minutes.",
    shows: { "SYNC-08": "at some point between 1 and 5 minutes" },
    change: instead("retention.keptMs", 300_000, isRunsync),
  }),
  variation("time/status-ttl-counts-from-the-submission", {
    describe: "The ttl of a status request counts from the job's submission.",
    change: () => ({
      operations: { ttlEndsAtMs: (ttlMs, job) => job.submittedAtMs + ttlMs },
    }),
  }),
  variation("time/ttl-goes-on-over-a-retry", {
    describe: "ttl goes on over a retry instead of starting again.",
    change: () => ({ lifecycle: { ttlStartsAtMs: (job) => job.submittedAtMs } }),
  }),
  variation("time/delays-of-attempts-add-up", {
    describe: "delayTime of a retried job is the time in the queue of all its attempts together.",
    change: remembering(new Map<Job, number>(), (earlierMs) => [
      result("lifecycle.next", (destination, job, event) => {
        const ownMs = (job.startedAtMs ?? job.finishedAtMs ?? 0) - job.queuedAtMs;
        if (event === "retry" && destination !== undefined) {
          earlierMs.set(job, (earlierMs.get(job) ?? 0) + ownMs);
        }
        return destination;
      }),
      inTime("operations.delayMs", (ownMs, job) => (earlierMs.get(job) ?? 0) + ownMs),
    ]),
  }),
];

function inSeconds(round: (seconds: number) => number): Change {
  return all(
    inTime("operations.delayMs", (ms) => round(ms / 1_000)),
    inTime("operations.executionMs", (ms) => round(ms / 1_000)),
  );
}
