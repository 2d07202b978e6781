import type { Exchange } from "../../client/exchange.ts";
import { durationText } from "../../reports/words.ts";
import type { Discovery } from "./discovery.ts";
import type { SeenJob, WorkSeen } from "./seen-of-jobs.ts";

/** A worker that starts sooner is waited for anyhow, in milliseconds. */
const slowStartMs = 4000;
/** No job is waited for longer because one waited for so long, in milliseconds. */
const startsMsMax = 60_000;

/**
 * Learns that a job waits long beside a free worker: where no worker is kept, one has to start first. What is waited for
 * may take that much longer, and fails nobody by it.
 * @param exchange the first that shows the job to have begun
 */
export function learnSlowStart(discovery: Discovery, job: SeenJob, exchange: Exchange): void {
  const { work } = discovery.seenOfJobs;
  const { begun, submittedAtMs, isUsual, stoppedMs } = job;
  if (begun === undefined || !isUsual || work.stoppedMs() > stoppedMs) return;
  const waitedMs = Math.min(begun.earliestMs - submittedAtMs, startsMsMax);
  // Nearly every job begins at once: the others are looked through only for one that did not.
  if (waitedMs <= work.startsMs || !isBesideFreeWorker(work, job)) return;
  work.startsMs = waitedMs;
  if (waitedMs < slowStartMs) return;
  discovery.learn({
    id: "slow-start",
    topic: "workers",
    text: `a job that waited for no other began only after ${durationText(waitedMs)}`,
    adapted: "every job is waited for that much longer",
    seen: [exchange],
  });
}

/** How long a job waits beside free workers until one looks for it, in milliseconds; 0 where they have to start first. */
export function pollWaitMs({ startsMs }: WorkSeen): number {
  // The longest wait was seen: in the mean it is half of that.
  return startsMs < slowStartMs ? startsMs / 2 : 0;
}

/** Whether fewer jobs than there are workers were unfinished when it was submitted, by all that is known of them. */
function isBesideFreeWorker({ jobs, held, workers }: WorkSeen, job: SeenJob): boolean {
  const before = [...jobs.values()].filter(
    (each) => each.sentAtMs < job.sentAtMs && freesWorkerAtMs(each) > job.submittedAtMs,
  );
  const heldBefore = [...held.values()].filter((sentAtMs) => sentAtMs < job.sentAtMs);
  return before.length + heldBefore.length < workers;
}

/** When a job sets its worker free at the latest: one that is ended before its work is done may keep it. */
function freesWorkerAtMs(job: SeenJob): number {
  const { endedAtMs = Infinity } = job;
  return beganBeforeCancel(job) ? Math.max(endedAtMs, workEndMs(job)) : endedAtMs;
}

/** Whether a job was seen at work before it was cancelled, if it was: one that was cancelled while it waited keeps no worker. */
export function beganBeforeCancel({ begun, cancel }: SeenJob): boolean {
  return begun !== undefined && begun.latestMs <= (cancel?.sentAtMs ?? Infinity);
}

/** When the work of a job would be done at the latest; -Infinity of one of which nothing shows that it may have begun. */
export function workEndMs({ begun, workMs }: SeenJob): number {
  return begun === undefined ? -Infinity : begun.latestMs + workMs;
}
