import type { Exchange } from "../../client/exchange.ts";
import { executionTimeoutOf } from "../inputs/conformance-jobs.ts";
import { isFinal, recordShownBy } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import { isSuccessOf } from "./shown-by.ts";
import type { Discovery } from "./discovery.ts";
import type { TimedJob } from "./seen-of-jobs.ts";

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
