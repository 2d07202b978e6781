import type { HandlerEnding } from "../handler.ts";
import type { Job } from "../job.ts";
import { isFinal, next } from "../transitions.ts";
import type { Destination, TransitionEvent } from "../transitions.ts";

/** How a job lives (docs/specification.md#states-and-transitions). */
export const lifecycle = {
  /** Where an event leads this job; undefined refuses the event. */
  next: (job: Job, event: TransitionEvent): Destination | undefined => next(job.status, event),
  /** Whether an accepted job, or one that goes back to the queue, really gets into it. */
  entersQueue: (_job: Job): boolean => true,
  /** Whether a waiting job finds a worker among so many idle ones. */
  findsWorker: (idleWorkers: number): boolean => idleWorkers > 0,
  /** Which waiting job a free worker takes. The queue is in order of arrival. */
  takeNext: (queue: ReadonlyMap<string, Job>): Job | undefined => {
    for (const job of queue.values()) return job;
    return undefined;
  },
  /** Whether a waiting job adds a worker on an endpoint that scales. */
  triggersScaling: (job: Job): boolean => job.submission.policy.lowPriority !== true,
  /** How often a job whose worker dies is handed to a worker in all; has to be finite. */
  dispatchesMax: 2,
  /** `endpointDefaultMs` is what the endpoint was made with, if anything. */
  executionTimeoutMs: (
    job: Job,
    endpointDefaultMs: number | undefined,
    _endpointId: string,
  ): number => job.submission.policy.executionTimeout ?? endpointDefaultMs ?? 600_000,
  /** When the time of processing begins to count; `nowMs` is the moment a worker took the job. */
  executionTimeoutStartsAtMs: (_job: Job, nowMs: number): number => nowMs,
  ttlMs: (job: Job): number => job.submission.policy.ttl ?? 86_400_000,
  /** When ttl begins to count, looked at on submission and on retry. */
  ttlStartsAtMs: (_job: Job, nowMs: number): number => nowMs,
  /** Whether a timer of ttl still counts for a job in its present state. */
  ttlCounts: (job: Job): boolean => !isFinal(job.status),
  /** Whether an event that ends a job in progress also stops its handler. */
  stopsHandler: (_job: Job, _event: TransitionEvent): boolean => true,
  /** Whether an event that ends a job in progress frees its worker at once. */
  freesWorker: (_job: Job, _event: TransitionEvent): boolean => true,
  /** Whether a job that left the state IN_QUEUE by this event also leaves the queue. */
  leavesQueue: (_job: Job, _event: TransitionEvent): boolean => true,
  /** The output and the error a job keeps of how its work ended. */
  keptOutput: (output: unknown, _job: Job): unknown => output,
  keptError: (message: string, _job: Job): string | undefined => message,
  /** The error of a job whose last worker died. */
  lostError: ({ dispatches }: Job): string => `the worker died, ${dispatches} times`,
  /** How a job ends for which the handler is not asked at all; undefined asks it. */
  endingWithoutWork: (_job: Job): HandlerEnding | undefined => undefined,
  /** In how many milliseconds the handler runs again for a job of which this happens, without a trace; none is right. */
  unseenRuns: (_job: Job, _event: TransitionEvent): readonly number[] => [],
  /** What the handler is given as input. */
  handlerInput: (job: Job): Job["submission"]["input"] => job.submission.input,
  handlerS3Config: (job: Job): Job["submission"]["s3Config"] => job.submission.s3Config,
};
