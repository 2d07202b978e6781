import { isSubmission } from "../../openapi/operations.ts";
import type { Exchange } from "../../client/exchange.ts";
import { recordShownBy, isFinal } from "../../harness/record.ts";
import type { LooseRecord } from "../../harness/record.ts";
import { isSuccess } from "../../harness/read.ts";
import type { OperationName } from "../../openapi/operations.ts";

/** What one answer showed of a job; without a record where the answer was that there is no such job. */
export interface BookedSighting {
  readonly sentMs: number;
  readonly atMs: number;
  readonly record: LooseRecord | undefined;
}

/** A submission, and all that was seen of its job. Times are milliseconds of the monotonic clock. */
export interface BookedJob<Role extends string = string> {
  readonly number: number;
  /** What the job is there for: "mix", or what is to be seen by it. */
  readonly role: Role;
  readonly operation: "run" | "runsync";
  readonly endpointId: string;
  readonly hasWebhook: boolean;
  /** Whether it yields chunks. */
  readonly streams: boolean;
  readonly sentMs: number;
  answeredMs?: number;
  /** The id in the answer; absent where there was none, or a refusal. */
  id?: string;
  readonly sightings: BookedSighting[];
  /** When a cancel of it was answered with success. */
  cancelledMs?: number;
  /** When retries of it were sent, whatever was answered. */
  readonly retriedMs: number[];
}

type OpenedJob<Role extends string> = Pick<
  BookedJob<Role>,
  "role" | "operation" | "endpointId" | "hasWebhook" | "streams" | "sentMs"
>;

/** A request of the load, for the figures. Times are milliseconds of the monotonic clock. */
export interface BookedRequest {
  readonly operation: OperationName;
  readonly plannedMs: number;
  readonly sentMs: number;
  /** NaN where no answer came. */
  readonly answeredMs: number;
  /** 0 where no answer came. */
  readonly status: number;
}

/** Keeps every request of a load and every job that it made, so that all of it can be counted afterwards. */
export class JobBook<Role extends string = string> {
  readonly jobs: BookedJob<Role>[] = [];
  readonly requests: BookedRequest[] = [];

  /** Opens the entry of a submission that is about to be sent. */
  open(job: OpenedJob<Role>): BookedJob<Role> {
    const opened = { ...job, number: this.jobs.length + 1, sightings: [], retriedMs: [] };
    this.jobs.push(opened);
    return opened;
  }

  /** Notes a request, and what its answer shows of a job. */
  note(exchange: Exchange, plannedMs: number, job?: BookedJob<Role>): void {
    const { operation, sentAtMs, answeredAtMs, answer } = exchange;
    const status = answer?.status ?? 0;
    const answeredMs = answer === undefined ? Number.NaN : answeredAtMs;
    this.requests.push({ operation, plannedMs, sentMs: sentAtMs, answeredMs, status });
    if (job !== undefined) noteJob(job, exchange);
  }

  /** Notes what an answer shows of a job, where the request is no part of the load. */
  look(exchange: Exchange, job: BookedJob<Role>): void {
    noteJob(job, exchange);
  }
}

function noteJob(job: BookedJob, exchange: Exchange): void {
  const { operation, answeredAtMs, answer } = exchange;
  if (answer === undefined) return;
  const record = recordShownBy(exchange);
  if (isSubmission(operation)) {
    job.answeredMs = answeredAtMs;
    if (record !== undefined) job.id = record.id;
  }
  if (operation === "cancel" && isSuccess(answer)) job.cancelledMs ??= answeredAtMs;
  if (showsJob(exchange, record)) {
    job.sightings.push({ sentMs: exchange.sentAtMs, atMs: answeredAtMs, record });
  }
}

/** Whether an answer tells the state of a job, or that there is none. */
function showsJob({ operation, answer }: Exchange, record: LooseRecord | undefined): boolean {
  if (operation === "runsync") return record !== undefined;
  if (operation !== "status") return false;
  return record !== undefined || answer?.status === 404 || answer?.status === 410;
}

/** The last thing that was seen of a job. */
export function lastSeen({ sightings }: BookedJob): BookedSighting | undefined {
  return sightings.at(-1);
}

/** The first sighting of a job in which it had ended; an end before a retry does not count. */
export function firstEnd({ sightings, retriedMs }: BookedJob): BookedSighting | undefined {
  const fromMs = Math.max(Number.NEGATIVE_INFINITY, ...retriedMs);
  return sightings.find(
    ({ sentMs, record }) => sentMs > fromMs && record !== undefined && isFinal(record),
  );
}

/** Whether nothing more is to be waited for: it has ended, or is not there. */
export function isSettled(job: BookedJob): boolean {
  const last = lastSeen(job);
  if (last === undefined) return false;
  const isAfterRetry = job.retriedMs.every((ms) => last.sentMs > ms);
  return isAfterRetry && (last.record === undefined || isFinal(last.record));
}
