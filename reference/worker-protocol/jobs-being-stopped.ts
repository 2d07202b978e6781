/** After this time a job counts as stopped even where its worker never asks again what to stop. */
const STOPS_WITHIN_MS = 5_000;

interface StoppingJob {
  readonly timer: NodeJS.Timeout;
  /** Whether the worker was told to stop it. */
  wasStopSent: boolean;
}

/**
 * Jobs that a worker may still be working on although they are no longer its own. The library knows a job only by its
 * id: given the same job again, it would run it twice at once, and results of the old run would count for the new one.
 * When a worker asks again what to stop, it has stopped what it was told to stop before.
 */
export class JobsBeingStopped {
  readonly #byWorker = new Map<string, Map<string, StoppingJob>>();
  readonly #onStopped: () => void;

  /** `onStopped` is called when a worker may be given a job again. */
  constructor(onStopped: () => void) {
    this.#onStopped = onStopped;
  }

  add(workerId: string, jobId: string): void {
    const jobs = this.#byWorker.get(workerId) ?? new Map<string, StoppingJob>();
    this.#byWorker.set(workerId, jobs);
    clearTimeout(jobs.get(jobId)?.timer);
    const timer = setTimeout(() => this.#remove(workerId, [jobId]), STOPS_WITHIN_MS);
    jobs.set(jobId, { timer, wasStopSent: false });
  }

  has(workerId: string, jobId: string): boolean {
    return this.#byWorker.get(workerId)?.has(jobId) === true;
  }

  /** Notes that the worker is being told to stop these jobs. */
  noteStopsSent(workerId: string, jobIds: Iterable<string>): void {
    for (const jobId of jobIds) {
      const job = this.#byWorker.get(workerId)?.get(jobId);
      if (job !== undefined) job.wasStopSent = true;
    }
  }

  /** Notes that the worker asks what to stop, so it has stopped everything that it was told before. */
  noteStopsPolled(workerId: string): void {
    const jobs = this.#byWorker.get(workerId);
    if (jobs === undefined) return;
    const stopped = [...jobs].filter(([, { wasStopSent }]) => wasStopSent).map(([jobId]) => jobId);
    if (stopped.length > 0) this.#remove(workerId, stopped);
  }

  close(): void {
    for (const jobs of this.#byWorker.values()) {
      for (const { timer } of jobs.values()) clearTimeout(timer);
    }
    this.#byWorker.clear();
  }

  #remove(workerId: string, jobIds: readonly string[]): void {
    const jobs = this.#byWorker.get(workerId);
    if (jobs === undefined) return;
    for (const jobId of jobIds) {
      clearTimeout(jobs.get(jobId)?.timer);
      jobs.delete(jobId);
    }
    if (jobs.size === 0) this.#byWorker.delete(workerId);
    this.#onStopped();
  }
}
