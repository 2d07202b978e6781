import { monotonicNowMs } from "../../client/exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { CoveredTime } from "../covered-time.ts";
import { givenJobId } from "../evidence/failing.ts";
import { isLowPriority, workMsOfSubmission } from "../inputs/conformance-jobs.ts";
import { isFinal, recordShownBy } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import type { Interval } from "../interval.ts";
import type { Discovery } from "./discovery.ts";
import type { SeenJob, WorkSeen } from "./seen-of-jobs.ts";
import { isOfBusyWorkers } from "./slow-operations.ts";
import { durationText } from "../../reports/words.ts";
import type { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import type { KnownWorkers } from "../inputs/jobs.ts";

/** The id of the cause that a cancelled job keeps its worker until its work is done. */
export const keptWorkers = "cancel-keeps-worker";

/** So many cancelled jobs, and as many that waited for them: it is no matter of one job. */
const jobsMin = 2;
/** A shorter wait shows nothing, in milliseconds: a worker may look for jobs once a second. */
const waitMsMin = 1500;
/** A job begins at once where a worker is free: a server that looks for jobs every few seconds is not judged by this. */
const atOnceMs = 500;
/** So soon after the work of a cancelled job is done the next job begins. */
const beginsWithinMs = 300;
/** A record counts the time that its job waited from its submission, and tells it as exactly as this, in milliseconds. */
const delayWithinMs = 100;
/** A moment is not known better than this where no record tells it, in milliseconds. */
const widthMsMax = 700;
/** What ended longer ago keeps nobody waiting, in milliseconds. */
const keptMs = 600_000;

/**
 * Learns that a cancelled job keeps its worker: jobs waited beside a free worker, by all that a run knows of, until the
 * work of jobs would have been done that had been cancelled before. To be called with every exchange of a run on a real
 * clock, in the specification's terms.
 */
export function learnKeptWorkers(discovery: Discovery, exchange: Exchange): void {
  const { work } = discovery.seenOfJobs;
  const job = noteJob(work, exchange);
  if (job === undefined) return;
  learnSlowStart(discovery, job, exchange);
  work.isFreedByCancel ||= showsFreedWorker(work, job);
  if (work.isFreedByCancel || discovery.knows(keptWorkers)) return;
  const kept = waitedFor(work, job);
  if (kept !== undefined) work.waited.set(job, kept);
  const shown = [...work.waited].filter(([each]) => besideFreeWorker(work, each));
  const cancelled = new Set(shown.map(([, each]) => each));
  if (cancelled.size < jobsMin) return;
  discovery.learn({
    id: keptWorkers,
    topic: "cancel",
    text: `cancel does not free a worker: ${shown.length} jobs began only when the work of jobs would have been done that had been cancelled seconds before`,
    adapted: "only what ends by itself is started, and is waited for: the run takes longer",
    breaks: ["CANC-02"],
    expected: "the worker of a cancelled job to be free again",
    explains: ({ requirement, at }) =>
      requirement === "CANC-02" &&
      (at.includes("worker") || at.startsWith("chunks that came after")),
    undecides: (reason) => !reason.includes("the run was ended") && isOfBusyWorkers(reason),
    seen: [...cancelled].flatMap(({ cancel }) => cancel ?? []),
  });
}

/** For how many milliseconds a job that is cancelled now keeps its worker; 0 where cancel frees it. */
export function keepsWorkerMs(discovery: Discovery, id: string): number {
  if (!discovery.knows(keptWorkers)) return 0;
  const job = discovery.seenOfJobs.work.jobs.get(id);
  return job === undefined ? 0 : Math.max(0, workEndMs(job) - monotonicNowMs());
}

/** How many jobs were cancelled that may have been at work, and would not be done yet; 0 where a cancel is seen to free workers. */
export function cancelledAtWork({ jobs, isFreedByCancel }: WorkSeen): number {
  if (isFreedByCancel) return 0;
  const nowMs = monotonicNowMs();
  return [...jobs.values()].filter((job) => job.cancel !== undefined && workEndMs(job) > nowMs)
    .length;
}

/** For how long workers were kept by cancelled jobs until now, in milliseconds; 0 where cancel frees them. */
export function keptWorkersMs(discovery: Discovery): number {
  if (!discovery.knows(keptWorkers)) return 0;
  const nowMs = monotonicNowMs();
  const kept = new CoveredTime();
  const spans = [...discovery.seenOfJobs.work.jobs.values()].flatMap((job) =>
    job.cancel === undefined
      ? []
      : [{ fromMs: job.cancel.answeredAtMs, toMs: Math.min(nowMs, workEndMs(job)) }],
  );
  for (const { fromMs, toMs } of spans.toSorted((one, other) => one.toMs - other.toMs)) {
    if (toMs > fromMs) kept.add(fromMs, toMs);
  }
  return kept.ms;
}

/** Notes what an exchange shows of a job, and returns that where it shows for the first time that it has begun. */
function noteJob(work: WorkSeen, exchange: Exchange): SeenJob | undefined {
  const record = recordShownBy(exchange);
  if (record === undefined) return undefined;
  noteSubmission(work, exchange, record.id);
  const job = work.jobs.get(record.id);
  if (job === undefined || job.endedAtMs !== undefined) return undefined;
  if (record.status === "IN_QUEUE") job.queuedAtMs = exchange.sentAtMs;
  if (exchange.operation === "cancel" && record.status === "CANCELLED") job.cancel = exchange;
  if (isFinal(record)) job.endedAtMs = exchange.answeredAtMs;
  if (job.begun !== undefined || record.status === "IN_QUEUE") return undefined;
  job.begun = beginningOf(job, record, exchange);
  return job.cancel === undefined ? job : undefined;
}

/** Notes a job that an exchange made, or makes work once more. */
function noteSubmission(work: WorkSeen, exchange: Exchange, id: string): void {
  const { operation, sentAtMs, answeredAtMs, request } = exchange;
  const stoppedMs = work.stoppedMs();
  if (operation === "retry") {
    const { workMs = 0 } = work.jobs.get(id) ?? {};
    const times = { sentAtMs, submittedAtMs: answeredAtMs, queuedAtMs: sentAtMs };
    work.jobs.set(id, { ...times, workMs, isUsual: false, stoppedMs });
  }
  if (givenJobId(exchange) === undefined) return;
  forget(work, answeredAtMs);
  const workMs = workMsOfSubmission(request.body);
  const submittedAtMs = operation === "runsync" ? sentAtMs : answeredAtMs;
  const isUsual = !isLowPriority(request.body);
  work.jobs.set(id, { sentAtMs, submittedAtMs, queuedAtMs: sentAtMs, workMs, isUsual, stoppedMs });
}

/** When a job began that is seen to have begun: as its record tells, or after it was last seen to wait. */
function beginningOf(
  { sentAtMs, submittedAtMs, queuedAtMs, workMs }: SeenJob,
  { delayTime, status }: LooseRecord,
  { operation, answeredAtMs }: Exchange,
): Interval {
  if (typeof delayTime === "number" && delayTime >= 0) {
    return {
      earliestMs: Math.max(queuedAtMs, sentAtMs + delayTime),
      latestMs: Math.min(answeredAtMs, submittedAtMs + delayTime + delayWithinMs),
    };
  }
  // A runsync tells of its job when that has ended.
  const workedMs = operation === "runsync" && status === "COMPLETED" ? workMs : 0;
  return {
    earliestMs: workedMs > 0 ? answeredAtMs - workedMs - atOnceMs : queuedAtMs,
    latestMs: answeredAtMs - workedMs,
  };
}

/** The cancelled job whose work was done when this one began that had waited. */
function waitedFor(work: WorkSeen, job: SeenJob): SeenJob | undefined {
  const { begun, submittedAtMs, isUsual, stoppedMs: stoppedBeforeMs } = job;
  const { jobs, waited, stoppedMs } = work;
  if (!isUsual || stoppedMs() > stoppedBeforeMs) return undefined;
  const leastMs = waitMsMin + pollsMs(work, job);
  if (begun === undefined || begun.earliestMs - submittedAtMs < leastMs) return undefined;
  if (begun.latestMs - begun.earliestMs > widthMsMax) return undefined;
  const taken = new Set(waited.values());
  return [...jobs.values()].find((each) => {
    if (taken.has(each) || each.cancel === undefined || each.begun === undefined) return false;
    const isOld = (each.endedAtMs ?? Infinity) < begun.earliestMs - waitMsMin;
    const beganAtOnce = each.begun.latestMs - each.sentAtMs < atOnceMs;
    const earliestMs = each.begun.earliestMs + each.workMs;
    const latestMs = each.begun.latestMs + each.workMs + beginsWithinMs;
    return isOld && beganAtOnce && earliestMs <= begun.latestMs && begun.earliestMs <= latestMs;
  });
}

/** How long the jobs that waited before another take where workers look for jobs now and then, in milliseconds. */
function pollsMs(work: WorkSeen, job: SeenJob): number {
  const ahead = [...work.jobs.values()].filter(
    ({ sentAtMs, begun, endedAtMs = Infinity }) =>
      sentAtMs < job.sentAtMs &&
      endedAtMs > job.submittedAtMs &&
      (begun === undefined || begun.latestMs > job.submittedAtMs),
  );
  return (1 + ahead.length / work.workers) * 2 * pollWaitMs(work);
}

/** Whether a job began while the work of cancelled jobs, if it had gone on, would have kept every worker. */
function showsFreedWorker({ jobs, workers }: WorkSeen, { begun }: SeenJob): boolean {
  if (begun === undefined) return false;
  const kept = [...jobs.values()].filter(
    (each) =>
      each.cancel !== undefined &&
      beganBeforeCancel(each) &&
      each.cancel.answeredAtMs < begun.earliestMs - waitMsMin &&
      (each.begun?.earliestMs ?? 0) + each.workMs > begun.latestMs + waitMsMin,
  );
  return kept.length >= workers;
}

/** Whether a worker was free while a job waited, by all that is known of the jobs that were there before it. */
function besideFreeWorker({ jobs, held, workers }: WorkSeen, job: SeenJob): boolean {
  const beforeMs = (job.begun?.earliestMs ?? 0) - waitMsMin;
  const atWork = [...jobs.values()].filter(
    ({ sentAtMs, workMs, begun, endedAtMs = Infinity }) =>
      workMs > 0 &&
      sentAtMs < job.submittedAtMs &&
      endedAtMs > beforeMs &&
      (begun === undefined || begun.earliestMs < beforeMs),
  );
  return atWork.length + heldBefore(held, job.submittedAtMs) < workers;
}

/** How many jobs of runsync that were sent before may be at work; of those under way it is not known whether they wait. */
function heldBefore(held: WorkSeen["held"], beforeMs: number): number {
  const earliestMs = beforeMs - keptMs;
  return [...held.values()].filter((sentAtMs) => sentAtMs > earliestMs && sentAtMs < beforeMs)
    .length;
}

function forget({ jobs }: WorkSeen, nowMs: number): void {
  for (const [id, { sentAtMs, workMs }] of jobs) {
    if (sentAtMs + workMs > nowMs - keptMs) return;
    jobs.delete(id);
  }
}

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
  return before.length + heldBefore(held, job.sentAtMs) < workers;
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

/** What a run knows of the workers of a target at any moment. */
export function knownWorkers(discovery: Discovery, dialect: ConfiguredDialect): KnownWorkers {
  return {
    endsByCancel: () => dialect.obstacle("cancel") === undefined && !discovery.knows(keptWorkers),
    startsMs: () => discovery.seenOfJobs.work.startsMs,
  };
}
