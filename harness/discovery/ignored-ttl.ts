import type { Exchange } from "../../client/exchange.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { ttlOf } from "../inputs/conformance-jobs.ts";
import { isFinal, recordShownBy } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import type { Discovery } from "./discovery.ts";
import type { ExpiringJob, TtlsSeen } from "./seen-of-jobs.ts";

/** The id of the cause that no ttl ends a job. */
export const ttlIgnored = "ttl-ignored";

/** A job that goes on for so much longer than its ttl is not only ended late, in milliseconds. */
const overdueMs = 1000;
/** So many jobs: it is no matter of one job. */
const jobsMin = 2;

/** The requirements that say of a job what becomes of it when its ttl runs out. */
const ofExpiry: ReadonlySet<RequirementId> = new Set(["POLI-08", "POLI-09", "STAT-06"]);

/**
 * Learns that no ttl ends a job: those that had one were completed after it had run out. To be called with what came of
 * a target on a real clock, in the specification's terms.
 */
export function learnIgnoredTtl(discovery: Discovery, exchange: Exchange): void {
  const { ttls } = discovery.seenOfJobs;
  const record = recordShownBy(exchange);
  if (record !== undefined) noteSubmission(ttls, exchange, record.id);
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

function noteSubmission(ttls: TtlsSeen, { request, answeredAtMs }: Exchange, id: string): void {
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
    ttls.isAnyExpired ||= isGone && answeredAtMs > job.endsByMs - overdueMs;
  } else if (!isFinal(record)) {
    job.isOverdue ||= sentAtMs > job.endsByMs + overdueMs;
  } else if (record.status === "COMPLETED") {
    const isLate = job.isOverdue === true || tookMs(record) > job.ttlMs + overdueMs;
    if (isLate) ttls.completedLate.set(record.id, exchange);
  }
}

/** How long a job waited and worked, as its record tells. */
function tookMs({ delayTime, executionTime }: LooseRecord): number {
  return typeof delayTime === "number" && typeof executionTime === "number"
    ? delayTime + executionTime
    : 0;
}
