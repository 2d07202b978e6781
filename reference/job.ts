import type { SubmitOperation } from "../openapi/operations.ts";
import type { Timer } from "./timer-queue.ts";
import type { JobStatus } from "../openapi/schemas.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The policy of a submission (docs/specification.md#policy); what it leaves out is absent here. */
export interface Policy {
  readonly executionTimeout?: number;
  readonly lowPriority?: boolean;
  readonly ttl?: number;
}

/** A submission that passed every check. */
export interface ReceivedSubmission {
  readonly input: JsonObject;
  readonly webhook?: string;
  readonly policy: Policy;
  readonly s3Config?: JsonObject;
}

/** One job of one endpoint, with everything that has to be freed with it. */
export interface Job {
  readonly id: string;
  readonly submittedBy: SubmitOperation;
  readonly submission: ReceivedSubmission;
  /** The beginning of its input, as tables show it: an input may be megabytes. */
  readonly shownInput: string;
  /** Assigned by transitions.ts alone. */
  status: JobStatus;
  /** Grows with each retry; what the handler calls `attempt`. */
  attempt: number;
  /** How often a worker took it in this attempt: a crash hands it to another worker. */
  dispatches: number;
  readonly submittedAtMs: number;
  /** When this attempt entered the queue. */
  queuedAtMs: number;
  startedAtMs: number | undefined;
  finishedAtMs: number | undefined;
  /** How long the request of a runsync job waits; 0 for run. */
  waitMs: number;
  /** The worker that took it last, in this attempt or an earlier one. */
  workerId: string | undefined;
  output: unknown;
  error: string | undefined;
  /** What the handler yielded in this attempt, split to size. */
  chunks: unknown[];
  chunksRead: number;
  ttlTimer: Timer | undefined;
  retentionTimer: Timer | undefined;
  /** Called once, when the job reaches a final state or is deleted. */
  readonly waiters: Set<() => void>;
  /** Called once, with the next chunk or when the waiters are. */
  readonly listeners: Set<() => void>;
  isDeleted: boolean;
  /** The state file could not take it: it counts as never submitted. */
  isGivenUp: boolean;
}

interface NewJob extends Pick<Job, "id" | "submittedBy" | "submission" | "waitMs"> {
  readonly nowMs: number;
}

export function createJob({ id, submittedBy, submission, waitMs, nowMs }: NewJob): Job {
  return {
    id,
    submittedBy,
    submission,
    shownInput: JSON.stringify(beginningOf(submission.input)).slice(0, charactersShown),
    status: "IN_QUEUE",
    attempt: 1,
    dispatches: 0,
    submittedAtMs: nowMs,
    queuedAtMs: nowMs,
    startedAtMs: undefined,
    finishedAtMs: undefined,
    waitMs,
    workerId: undefined,
    output: undefined,
    error: undefined,
    chunks: [],
    chunksRead: 0,
    ttlTimer: undefined,
    retentionTimer: undefined,
    waiters: new Set(),
    listeners: new Set(),
    isDeleted: false,
    isGivenUp: false,
  };
}

const charactersShown = 120;

/** As much of a value as its first characters show. */
function beginningOf(value: unknown, budget = { values: charactersShown }): unknown {
  budget.values -= 1;
  if (typeof value === "string") return value.slice(0, charactersShown);
  if (typeof value !== "object" || value === null) return value;
  const shown: [string, unknown][] = [];
  for (const name in value) {
    if (budget.values <= 0) break;
    const member: unknown = Reflect.get(value, name);
    shown.push([name.slice(0, charactersShown), beginningOf(member, budget)]);
  }
  return Array.isArray(value) ? shown.map(([, item]) => item) : Object.fromEntries(shown);
}

/** Calls each of them once and forgets them. */
export function tell(waiting: Set<() => void>): void {
  const told = [...waiting];
  waiting.clear();
  for (const each of told) each();
}

/** What a dead worker left behind: the next one starts from the beginning. */
export function forgetWork(job: Job): void {
  job.output = undefined;
  job.chunks = [];
  job.chunksRead = 0;
}
