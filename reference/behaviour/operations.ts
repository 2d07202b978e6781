import type { OperationName } from "../../openapi/operations.ts";
import type { Job, JsonObject } from "../job.ts";
import { isFinal } from "../transitions.ts";
import type { TransitionEvent } from "../transitions.ts";
import type { JobStatus } from "../../openapi/schemas.ts";
import { decimal } from "./submission.ts";

export type Counter = "completed" | "failed" | "retried";

/** What health counts (docs/specification.md#health-response). */
export interface JobCounts {
  readonly completed: number;
  readonly failed: number;
  readonly retried: number;
  readonly inProgress: number;
  readonly inQueue: number;
  readonly workersBusy: number;
  readonly workersTotal: number;
}

/** What one answer is about, for those who shape it. */
export interface AnswerContext {
  readonly operation: OperationName;
  readonly job: Job | undefined;
  readonly nowMs: number;
}

/** What each operation does and answers (docs/specification.md#endpoints). */
export const operations = {
  successStatus: (_operation: OperationName): number => 200,
  contentType: (_operation: OperationName | undefined, _status: number): string =>
    "application/json; charset=utf-8",
  errorBody: (status: number, title: string, detail: string): unknown => ({
    status,
    title,
    detail,
  }),
  /** The answer to an operation on a job that is unknown, deleted, purged or expired. */
  unknownJobStatus: (_operation: OperationName, _jobId: string): number => 404,
  unknownEndpointStatus: (_operation: OperationName): number => 404,
  /** The endpoint an id in a path means; `known` are the ids there are. */
  endpointIdOf: (given: string, _known: Iterable<string>): string => given,
  /** The job an id in a path means; `known` are the ids of the endpoint's jobs. */
  jobIdOf: (given: string, _known: Iterable<string>): string => given,
  /** Whether an endpoint knows no job but its own. */
  hidesForeignJobs: (_operation: OperationName): boolean => true,

  /** The record of status, runsync and the webhook. */
  record: (job: Job, _context: AnswerContext): JsonObject => ({ id: job.id, status: job.status }),
  showsOutput: (job: Job, _context: AnswerContext): boolean => job.status === "COMPLETED",
  delayMs: (job: Job, _nowMs: number): number | undefined => {
    const endedAtMs = job.startedAtMs ?? job.finishedAtMs;
    return endedAtMs === undefined ? undefined : endedAtMs - job.queuedAtMs;
  },
  executionMs: (job: Job, _nowMs: number): number | undefined => {
    if (job.finishedAtMs === undefined) return undefined;
    return job.startedAtMs === undefined ? 0 : job.finishedAtMs - job.startedAtMs;
  },
  healthAnswer: (counts: JobCounts): JsonObject => ({
    jobs: {
      completed: counts.completed,
      failed: counts.failed,
      inProgress: counts.inProgress,
      inQueue: counts.inQueue,
      retried: counts.retried,
    },
    workers: { idle: counts.workersTotal - counts.workersBusy, running: counts.workersBusy },
  }),
  /** The last word on the body of a success. */
  shape: (body: unknown, _context: AnswerContext): unknown => body,

  /** Whether a submission is answered only when its job has ended or its wait is over. */
  waitsForJob: (job: Job): boolean => job.submittedBy === "runsync" && !isFinal(job.status),
  /** How long such a request waits at most. */
  waitsForMs: (job: Job): number => job.waitMs,
  /** What the end of the wait does to the job; the specification wants nothing. */
  waitOverEvent: (_job: Job): TransitionEvent | undefined => undefined,
  /** What happens to the job of a runsync whose client breaks off while it waits; the specification wants nothing. */
  brokenOffEvent: (_job: Job): TransitionEvent | undefined => undefined,
  failedRunsyncStatus: (_job: Job): number => 200,

  acceptsStatusTtl: (text: unknown): boolean => (decimal(text) ?? 0) > 0,
  /** When an unfinished job ends that status gave a ttl; undefined leaves it as it was. */
  ttlEndsAtMs: (ttlMs: number, _job: Job, nowMs: number): number | undefined => nowMs + ttlMs,
  /** Called after a job was read; the specification wants no effect. */
  afterRead: (_context: AnswerContext): void => {},

  /** For how much of the endpoint's time an answer is kept back, after what was asked for is done; 0 is right. */
  answersAfterMs: (_context: AnswerContext, _counts: () => JobCounts): number => 0,
  finishedCancelStatus: 400,
  /** The state such an answer tells where it is a success. */
  finishedCancelShows: (job: Job): JobStatus => job.status,

  /** Whether a cancel, accepted or refused, frees a worker besides that of the job; none is right. */
  workersFreedBesides: (_job: Job, _wasAccepted: boolean): boolean => false,

  refusedRetryStatus: 400,
  /** Prepares a job for its next attempt. */
  beforeRetry: (job: Job): void => {
    job.output = undefined;
    job.error = undefined;
    job.chunks = [];
    job.chunksRead = 0;
  },

  /** Which jobs a purge is meant for; `next` of the lifecycle still has to let them go. */
  purges: (job: Job): boolean => job.status === "IN_QUEUE",
  /** Called with the queue of an endpoint after a purge; the specification wants no further effect. */
  afterPurge: (_queue: ReadonlyMap<string, Job>): void => {},
  /** Whether a purge keeps to the endpoint it was sent to. */
  purgesOwnJobsAlone: true,
  /** The number a purge answers. */
  removedCount: (removed: readonly Job[]): number => removed.length,
  /** Whether health counts a job of the queue as waiting. */
  countsAsWaiting: (_job: Job): boolean => true,
  /** Which counter a job's ending adds to. */
  countedAs: ({ status }: Job): Counter | undefined => {
    if (status === "COMPLETED") return "completed";
    return status === "FAILED" ? "failed" : undefined;
  },
  /** Which counter is taken back where a job is deleted; none is right. */
  takesBack: (_job: Job): Counter | undefined => undefined,
  countsRetry: (_job: Job): boolean => true,
  /** Whether a job that is handed to another worker, because its first one died, counts as retried. */
  countsRedispatch: false,
};
