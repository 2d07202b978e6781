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
export interface OperationsBehaviour {
  readonly successStatus: (operation: OperationName) => number;
  readonly contentType: (operation: OperationName | undefined, status: number) => string;
  readonly errorBody: (status: number, title: string, detail: string) => unknown;
  /** The answer to an operation on a job that is unknown, deleted, purged or expired. */
  readonly unknownJobStatus: (operation: OperationName, jobId: string) => number;
  readonly unknownEndpointStatus: (operation: OperationName) => number;
  /** The endpoint an id in a path means; `known` are the ids there are. */
  readonly endpointIdOf: (given: string, known: Iterable<string>) => string;
  /** The job an id in a path means; `known` are the ids of the endpoint's jobs. */
  readonly jobIdOf: (given: string, known: Iterable<string>) => string;
  /** Whether an endpoint knows no job but its own. */
  readonly hidesForeignJobs: (operation: OperationName) => boolean;

  /** The record of status, runsync and the webhook. */
  readonly record: (job: Job, context: AnswerContext) => JsonObject;
  readonly showsOutput: (job: Job, context: AnswerContext) => boolean;
  readonly delayMs: (job: Job, nowMs: number) => number | undefined;
  readonly executionMs: (job: Job, nowMs: number) => number | undefined;
  readonly healthAnswer: (counts: JobCounts) => JsonObject;
  /** The last word on the body of a success. */
  readonly shape: (body: unknown, context: AnswerContext) => unknown;

  /** Whether a submission is answered only when its job has ended or its wait is over. */
  readonly waitsForJob: (job: Job) => boolean;
  /** How long such a request waits at most. */
  readonly waitsForMs: (job: Job) => number;
  /** What the end of the wait does to the job; the specification wants nothing. */
  readonly waitOverEvent: (job: Job) => TransitionEvent | undefined;
  /** What happens to the job of a runsync whose client breaks off while it waits; the specification wants nothing. */
  readonly brokenOffEvent: (job: Job) => TransitionEvent | undefined;
  readonly failedRunsyncStatus: (job: Job) => number;

  readonly acceptsStatusTtl: (text: unknown) => boolean;
  /** When an unfinished job ends that status gave a ttl; undefined leaves it as it was. */
  readonly ttlEndsAtMs: (ttlMs: number, job: Job, nowMs: number) => number | undefined;
  /** Called after a job was read; the specification wants no effect. */
  readonly afterRead: (context: AnswerContext) => void;

  /** For how much of the endpoint's time an answer is kept back, after what was asked for is done; 0 is right. */
  readonly answersAfterMs: (context: AnswerContext, counts: () => JobCounts) => number;
  readonly finishedCancelStatus: number;
  /** The state such an answer tells where it is a success. */
  readonly finishedCancelShows: (job: Job) => JobStatus;

  /** Whether a cancel, accepted or refused, frees a worker besides that of the job; none is right. */
  readonly workersFreedBesides: (job: Job, wasAccepted: boolean) => boolean;

  readonly refusedRetryStatus: number;
  /** Prepares a job for its next attempt. */
  readonly beforeRetry: (job: Job) => void;

  /** Which jobs a purge is meant for; `next` of the lifecycle still has to let them go. */
  readonly purges: (job: Job) => boolean;
  /** Called with the queue of an endpoint after a purge; the specification wants no further effect. */
  readonly afterPurge: (queue: ReadonlyMap<string, Job>) => void;
  /** Whether a purge keeps to the endpoint it was sent to. */
  readonly purgesOwnJobsAlone: boolean;
  /** The number a purge answers. */
  readonly removedCount: (removed: readonly Job[]) => number;
  /** Whether health counts a job of the queue as waiting. */
  readonly countsAsWaiting: (job: Job) => boolean;
  /** Which counter a job's ending adds to. */
  readonly countedAs: (job: Job) => Counter | undefined;
  /** Which counter is taken back where a job is deleted; none is right. */
  readonly takesBack: (job: Job) => Counter | undefined;
  readonly countsRetry: (job: Job) => boolean;
  /** Whether a job that is handed to another worker, because its first one died, counts as retried. */
  readonly countsRedispatch: boolean;
}

export const operations: OperationsBehaviour = {
  successStatus: () => 200,
  contentType: () => "application/json; charset=utf-8",
  errorBody: (status, title, detail) => ({ status, title, detail }),
  unknownJobStatus: () => 404,
  unknownEndpointStatus: () => 404,
  endpointIdOf: (given) => given,
  jobIdOf: (given) => given,
  hidesForeignJobs: () => true,

  record: (job) => ({ id: job.id, status: job.status }),
  showsOutput: (job) => job.status === "COMPLETED",
  delayMs: (job) => {
    const endedAtMs = job.startedAtMs ?? job.finishedAtMs;
    return endedAtMs === undefined ? undefined : endedAtMs - job.queuedAtMs;
  },
  executionMs: (job) => {
    if (job.finishedAtMs === undefined) return undefined;
    return job.startedAtMs === undefined ? 0 : job.finishedAtMs - job.startedAtMs;
  },
  healthAnswer: (counts) => ({
    jobs: {
      completed: counts.completed,
      failed: counts.failed,
      inProgress: counts.inProgress,
      inQueue: counts.inQueue,
      retried: counts.retried,
    },
    workers: { idle: counts.workersTotal - counts.workersBusy, running: counts.workersBusy },
  }),
  shape: (body) => body,

  waitsForJob: (job) => job.submittedBy === "runsync" && !isFinal(job.status),
  waitsForMs: (job) => job.waitMs,
  waitOverEvent: () => undefined,
  brokenOffEvent: () => undefined,
  failedRunsyncStatus: () => 200,

  acceptsStatusTtl: (text) => (decimal(text) ?? 0) > 0,
  ttlEndsAtMs: (ttlMs, _job, nowMs) => nowMs + ttlMs,
  afterRead: () => {},

  answersAfterMs: () => 0,
  finishedCancelStatus: 400,
  finishedCancelShows: (job) => job.status,

  workersFreedBesides: () => false,

  refusedRetryStatus: 400,
  beforeRetry: (job) => {
    job.output = undefined;
    job.error = undefined;
    job.chunks = [];
    job.chunksRead = 0;
  },

  purges: (job) => job.status === "IN_QUEUE",
  afterPurge: () => {},
  purgesOwnJobsAlone: true,
  removedCount: (removed) => removed.length,
  countsAsWaiting: () => true,
  countedAs: ({ status }) => {
    if (status === "COMPLETED") return "completed";
    return status === "FAILED" ? "failed" : undefined;
  },
  takesBack: () => undefined,
  countsRetry: () => true,
  countsRedispatch: false,
};
