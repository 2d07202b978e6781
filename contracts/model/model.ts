import { retentionMs } from "../../harness/jobs/retention.ts";
import type { StepPolicy, StepWork } from "./steps.ts";

/** The state of a job in the model. `removed`: purged or expired; what status shows of it is open. */
export type ModelState =
  | "IN_QUEUE"
  | "IN_PROGRESS"
  | "COMPLETED"
  | "FAILED"
  | "TIMED_OUT"
  | "CANCELLED"
  | "removed"
  | "deleted";

/** A job as the model knows it. All times are milliseconds since the sequence began. */
export interface ModelJob {
  readonly number: number;
  readonly id: string;
  readonly work: StepWork;
  readonly executionTimeoutMs: number;
  readonly expiresAtMs: number;
  state: ModelState;
  /** How it ended, also when its data has been deleted since. */
  endedAs: ModelState | undefined;
  startedAtMs: number;
  endedAtMs: number;
  retries: number;
}

/** The defaults of a policy (POLI-05, POLI-10) and the retention of a run result (RUNA-04). */
const executionTimeoutMsDefault = 600_000;
const ttlMsDefault = 86_400_000;

/** The end of work that succeeds, fails or is cut off. */
interface End {
  readonly state: "COMPLETED" | "FAILED" | "TIMED_OUT";
  readonly afterMs: number;
}

/**
 * The state that an endpoint has to be in after what was done to it: queue, workers, jobs and time. The model works
 * out all but the order in which waiting jobs are taken: the specification leaves that open, and `take` reports it.
 */
export class Model {
  readonly jobs: ModelJob[] = [];
  nowMs = 0;
  workers: number;
  retries = 0;
  /** How often a job has come to each end; the earlier ends of retried jobs count, too. */
  readonly endings: Partial<Record<ModelState, number>> = {};

  constructor(workers: number) {
    this.workers = workers;
  }

  /** A job was accepted now. */
  submit(id: string, work: StepWork, policy: StepPolicy): void {
    this.jobs.push({
      number: this.jobs.length + 1,
      id,
      work,
      executionTimeoutMs: policy.executionTimeout ?? executionTimeoutMsDefault,
      expiresAtMs: this.nowMs + (policy.ttl ?? ttlMsDefault),
      state: "IN_QUEUE",
      endedAs: undefined,
      startedAtMs: 0,
      endedAtMs: 0,
      retries: 0,
    });
  }

  /** A retry was accepted now. */
  retry(job: ModelJob): void {
    job.state = "IN_QUEUE";
    job.retries += 1;
    this.retries += 1;
  }

  /** A cancel was accepted now. */
  cancel(job: ModelJob): void {
    this.#end(job, "CANCELLED", this.nowMs);
  }

  /** The queue was emptied now. Returns how many jobs waited in it. */
  purge(): number {
    const waiting = this.in("IN_QUEUE");
    for (const job of waiting) this.#end(job, "removed", this.nowMs);
    return waiting.length;
  }

  /** A waiting job was seen to have been taken now. Work that needs no time ends at once. */
  take(job: ModelJob): void {
    const { state, afterMs } = endOfWork(job);
    job.startedAtMs = this.nowMs;
    if (afterMs === 0) this.#end(job, state, this.nowMs);
    else job.state = "IN_PROGRESS";
  }

  /** When the next thing happens by itself; Infinity when nothing will. */
  nextEventMs(): number {
    return earliest(this.jobs);
  }

  /** When the next unfinished job ends by itself; Infinity when none will. */
  nextEndMs(): number {
    return earliest(this.in("IN_QUEUE", "IN_PROGRESS"));
  }

  /** Whether something happens by itself at a moment. */
  hasEventAt(momentMs: number): boolean {
    return this.jobs.some((job) => eventOf(job).atMs === momentMs);
  }

  /**
   * Whether it is open what happens at a moment: a worker becomes free when a waiting job expires, a job's work and its ttl
   * end together, or the ttl of a retried job is over, which the retry may have started anew.
   */
  isAmbiguousAt(momentMs: number): boolean {
    const due = this.in("IN_QUEUE", "IN_PROGRESS").filter((job) => eventOf(job).atMs === momentMs);
    const expires = due.some(({ state }) => state === "IN_QUEUE");
    const frees = due.filter(({ state }) => state === "IN_PROGRESS");
    return (
      (expires && frees.length > 0) ||
      due.some(({ retries, expiresAtMs }) => retries > 0 && expiresAtMs === momentMs) ||
      frees.some((job) => job.expiresAtMs === job.startedAtMs + endOfWork(job).afterMs)
    );
  }

  /** Moves time to a moment, which must not be after the next event, and applies the events that are due. */
  moveTo(momentMs: number): void {
    this.nowMs = momentMs;
    for (const job of this.jobs) {
      const event = eventOf(job);
      if (event.atMs <= momentMs) this.#end(job, event.state, event.atMs);
    }
  }

  /** The jobs in a state. */
  in(...states: readonly ModelState[]): readonly ModelJob[] {
    return this.jobs.filter(({ state }) => states.includes(state));
  }

  #end(job: ModelJob, state: ModelState, atMs: number): void {
    job.state = state;
    this.endings[state] = (this.endings[state] ?? 0) + 1;
    if (state === "deleted") return;
    job.endedAs = state;
    job.endedAtMs = atMs;
  }
}

/** How the work of a job ends, and how long after its start. */
export function endOfWork({ work, executionTimeoutMs }: ModelJob): End {
  if (work.op === "echo") return { state: "COMPLETED", afterMs: 0 };
  if (work.op === "fail") return { state: "FAILED", afterMs: 0 };
  if (work.ms > executionTimeoutMs) return { state: "TIMED_OUT", afterMs: executionTimeoutMs };
  return { state: "COMPLETED", afterMs: work.ms };
}

function earliest(jobs: readonly ModelJob[]): number {
  return jobs.reduce((least, job) => Math.min(least, eventOf(job).atMs), Infinity);
}

function eventOf(job: ModelJob): { state: ModelState; atMs: number } {
  switch (job.state) {
    case "IN_QUEUE":
      return { state: "removed", atMs: job.expiresAtMs };
    case "IN_PROGRESS": {
      const { state, afterMs } = endOfWork(job);
      const endsAtMs = job.startedAtMs + afterMs;
      return job.expiresAtMs < endsAtMs
        ? { state: "removed", atMs: job.expiresAtMs }
        : { state, atMs: endsAtMs };
    }
    case "removed":
    case "deleted":
      return { state: job.state, atMs: Infinity };
    case "COMPLETED":
    case "FAILED":
    case "TIMED_OUT":
    case "CANCELLED":
      return { state: "deleted", atMs: job.endedAtMs + retentionMs.run };
  }
}
