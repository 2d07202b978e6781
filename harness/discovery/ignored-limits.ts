import type { Exchange } from "../../client/exchange.ts";
import { executionTimeoutOf, ttlOf } from "../inputs/conformance-jobs.ts";
import { isFinal, recordShownBy } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import { isSuccessOf } from "./shown-by.ts";
import type { Discovery } from "./discovery.ts";
import type { TimedJob, ExpiringJob, TtlsSeen } from "./seen-of-jobs.ts";
import type { RequirementId } from "../../openapi/requirements.ts";

/** The id of the cause that no executionTimeout ends a job. */
export const timeoutsIgnored = "timeouts-ignored";

/** A job that is at work for so much longer than it may, in milliseconds, is not only ended late. */
const overdueMs = 10_000;
/** The same of one that has completed: its record tells how long it worked. */
const completedOverdueMs = 1000;
/** So many jobs: it is no matter of one job. */
const jobsMin = 2;

/**
 * Learns that no executionTimeout ends a job: those that had one were at work for much longer. To be called with what
 * came of a target on a real clock, in the specification's terms.
 */
export function learnIgnoredTimeouts(discovery: Discovery, exchange: Exchange): void {
  const { timedJobs, overdue, statesShown } = discovery.seenOfJobs;
  const record = recordShownBy(exchange);
  if (record === undefined || statesShown.names.has("TIMED_OUT")) return;
  const timeoutMs = executionTimeoutOf(exchange.request.body);
  if (timeoutMs !== undefined) timedJobs.set(record.id, { timeoutMs });
  const job = timedJobs.get(record.id);
  if (job === undefined) return;
  if (isOverdue(job, record, exchange)) overdue.set(record.id, exchange);
  if (isFinal(record)) timedJobs.delete(record.id);
  if (overdue.size >= jobsMin) learnThatNoneTimesOut(discovery, [...overdue.values()]);
}

/** @param seen what shows it: jobs that go on, or have completed, for longer than they may work */
export function learnThatNoneTimesOut(discovery: Discovery, seen: readonly Exchange[]): void {
  const isRead = isSuccessOf("run", "runsync", "status");
  discovery.learn({
    id: timeoutsIgnored,
    topic: "policy",
    text: "no executionTimeout ends a job: those that had one were at work for seconds longer",
    adapted: "what needs one that does is not run",
    breaks: ["POLI-04"],
    expected: "the job to be TIMED_OUT",
    excuses: ({ expected }, evidence) => isRead(evidence) && expected.includes("TIMED_OUT"),
    excusesReason: (reason) =>
      /is still IN_PROGRESS after|is (COMPLETED|IN_PROGRESS), not TIMED_OUT/.test(reason),
    seen,
  });
}

function isOverdue(job: TimedJob, record: LooseRecord, exchange: Exchange): boolean {
  const { status, executionTime } = record;
  if (status === "COMPLETED") {
    return typeof executionTime === "number" && executionTime > job.timeoutMs + completedOverdueMs;
  }
  if (status !== "IN_PROGRESS") return false;
  job.startedAtMs ??= exchange.answeredAtMs;
  return exchange.sentAtMs - job.startedAtMs > job.timeoutMs + overdueMs;
}

/** The id of the cause that no ttl ends a job. */
export const ttlIgnored = "ttl-ignored";

/** A job that goes on for so much longer than its ttl is not only ended late, in milliseconds. */
const ttlOverdueMs = 1000;
/** The requirements that say of a job what becomes of it when its ttl runs out. */
const ofExpiry: ReadonlySet<RequirementId> = new Set(["POLI-08", "POLI-09", "STAT-06"]);

/**
 * Learns that no ttl ends a job: those that had one were completed after it had run out. To be called with what came of
 * a target on a real clock, in the specification's terms.
 */
export function learnIgnoredTtl(discovery: Discovery, exchange: Exchange): void {
  const { ttls } = discovery.seenOfJobs;
  const record = recordShownBy(exchange);
  if (record !== undefined) noteExpiringJob(ttls, exchange, record.id);
  const id = record?.id ?? exchange.request.jobId ?? "";
  const job = ttls.jobs.get(id);
  if (job === undefined) return;
  // Another ttl, or a new attempt: when it ends is not known then.
  const isChanged = exchange.operation === "retry" || exchange.request.url.includes("ttl=");
  if (isChanged) ttls.jobs.delete(id);
  else noteState(ttls, { job, exchange, record });
  if (ttls.isAnyExpired || ttls.completedLate.size < jobsMin) return;
  discovery.learn({
    id: ttlIgnored,
    topic: "policy",
    text: "no ttl ends a job: those that had one were completed after it had run out",
    adapted: "what needs one that does is not run",
    breaks: ["POLI-09"],
    expected: "the job not to be COMPLETED",
    explains: ({ requirement, got }) =>
      ofExpiry.has(requirement) && /IN_QUEUE|IN_PROGRESS|COMPLETED/.test(got),
    excuses: ({ requirement }) => requirement === "POLI-14",
    excusesReason: (reason) => reason.includes("outlives its ttl"),
    seen: [...ttls.completedLate.values()],
  });
}

function noteExpiringJob(ttls: TtlsSeen, { request, answeredAtMs }: Exchange, id: string): void {
  const ttlMs = ttlOf(request.body);
  if (ttlMs !== undefined) ttls.jobs.set(id, { endsByMs: answeredAtMs + ttlMs, ttlMs });
}

interface SeenState {
  readonly job: ExpiringJob;
  readonly exchange: Exchange;
  readonly record: LooseRecord | undefined;
}

function noteState(ttls: TtlsSeen, { job, exchange, record }: SeenState): void {
  const { answer, sentAtMs, answeredAtMs } = exchange;
  if (record === undefined || record.status === "TIMED_OUT") {
    const isGone = record !== undefined || answer?.status === 404;
    ttls.isAnyExpired ||= isGone && answeredAtMs > job.endsByMs - ttlOverdueMs;
  } else if (!isFinal(record)) {
    job.isOverdue ||= sentAtMs > job.endsByMs + ttlOverdueMs;
  } else if (record.status === "COMPLETED") {
    const isLate = job.isOverdue === true || tookMs(record) > job.ttlMs + ttlOverdueMs;
    if (isLate) ttls.completedLate.set(record.id, exchange);
  }
}

/** How long a job waited and worked, as its record tells. */
function tookMs({ delayTime, executionTime }: LooseRecord): number {
  return typeof delayTime === "number" && typeof executionTime === "number"
    ? delayTime + executionTime
    : 0;
}
