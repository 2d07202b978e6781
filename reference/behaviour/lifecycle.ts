import type { HandlerEnding } from "../handler.ts";
import type { Job } from "../job.ts";
import { isFinal, next } from "../transitions.ts";
import type { Destination, TransitionEvent } from "../transitions.ts";

/** How a job lives (docs/specification.md#states-and-transitions). */
export interface LifecycleBehaviour {
  /** Where an event leads this job; undefined refuses the event. */
  readonly next: (job: Job, event: TransitionEvent) => Destination | undefined;
  /** Whether an accepted job, or one that goes back to the queue, really gets into it. */
  readonly entersQueue: (job: Job) => boolean;
  /** Whether a waiting job finds a worker among so many idle ones. */
  readonly findsWorker: (idleWorkers: number) => boolean;
  /** Which waiting job a free worker takes. The queue is in order of arrival. */
  readonly takeNext: (queue: ReadonlyMap<string, Job>) => Job | undefined;
  /** Whether a waiting job adds a worker on an endpoint that scales. */
  readonly triggersScaling: (job: Job) => boolean;
  /** How often a job whose worker dies is handed to a worker in all; has to be finite. */
  readonly dispatchesMax: number;
  /** `endpointDefaultMs` is what the endpoint was made with, if anything. */
  readonly executionTimeoutMs: (
    job: Job,
    endpointDefaultMs: number | undefined,
    endpointId: string,
  ) => number;
  /** When the time of processing begins to count; `nowMs` is the moment a worker took the job. */
  readonly executionTimeoutStartsAtMs: (job: Job, nowMs: number) => number;
  readonly ttlMs: (job: Job) => number;
  /** When ttl begins to count, looked at on submission and on retry. */
  readonly ttlStartsAtMs: (job: Job, nowMs: number) => number;
  /** Whether a timer of ttl still counts for a job in its present state. */
  readonly ttlCounts: (job: Job) => boolean;
  /** Whether an event that ends a job in progress also stops its handler. */
  readonly stopsHandler: (job: Job, event: TransitionEvent) => boolean;
  /** Whether an event that ends a job in progress frees its worker at once. */
  readonly freesWorker: (job: Job, event: TransitionEvent) => boolean;
  /** Whether a job that left the state IN_QUEUE by this event also leaves the queue. */
  readonly leavesQueue: (job: Job, event: TransitionEvent) => boolean;
  /** The output and the error a job keeps of how its work ended. */
  readonly keptOutput: (output: unknown, job: Job) => unknown;
  readonly keptError: (message: string, job: Job) => string | undefined;
  /** The error of a job whose last worker died. */
  readonly lostError: (job: Job) => string;
  /** How a job ends for which the handler is not asked at all; undefined asks it. */
  readonly endingWithoutWork: (job: Job) => HandlerEnding | undefined;
  /** In how many milliseconds the handler runs again for a job of which this happens, without a trace; none is right. */
  readonly unseenRuns: (job: Job, event: TransitionEvent) => readonly number[];
  /** What the handler is given as input. */
  readonly handlerInput: (job: Job) => Job["submission"]["input"];
  readonly handlerS3Config: (job: Job) => Job["submission"]["s3Config"];
}

export const lifecycle: LifecycleBehaviour = {
  next: (job, event) => next(job.status, event),
  entersQueue: () => true,
  findsWorker: (idleWorkers) => idleWorkers > 0,
  takeNext: (queue) => {
    for (const job of queue.values()) return job;
    return undefined;
  },
  triggersScaling: (job) => job.submission.policy.lowPriority !== true,
  dispatchesMax: 2,
  executionTimeoutMs: (job, endpointDefaultMs) =>
    job.submission.policy.executionTimeout ?? endpointDefaultMs ?? 600_000,
  executionTimeoutStartsAtMs: (_job, nowMs) => nowMs,
  ttlMs: (job) => job.submission.policy.ttl ?? 86_400_000,
  ttlStartsAtMs: (_job, nowMs) => nowMs,
  ttlCounts: (job) => !isFinal(job.status),
  stopsHandler: () => true,
  freesWorker: () => true,
  leavesQueue: () => true,
  keptOutput: (output) => output,
  keptError: (message) => message,
  lostError: ({ dispatches }) => `the worker died, ${dispatches} times`,
  endingWithoutWork: () => undefined,
  unseenRuns: () => [],
  handlerInput: (job) => job.submission.input,
  handlerS3Config: (job) => job.submission.s3Config,
};
