import { abortAfter } from "../clock.ts";
import type { HandlerEnding } from "../handler.ts";
import type { JsonObject } from "../job.ts";
import type { Work, WorkReport } from "../work.ts";
import { Leftovers } from "./leftovers.ts";
import type { Poll } from "./poll.ts";

/** What a worker is given of a job. `attempt` is more than the live service sends. */
export interface HandedJob {
  readonly id: string;
  readonly input: JsonObject;
  readonly attempt: number;
  readonly s3Config: JsonObject | undefined;
}

/** A worker that waits for up to `size` jobs. */
interface Offer {
  readonly workerId: string;
  readonly size: number;
  readonly jobs: HandedJob[];
  readonly poll: Poll<readonly HandedJob[]>;
}

interface Assignment {
  readonly workerId: string;
  readonly report: WorkReport;
  /** Ends the job's work when it runs out. */
  watch: { cancel(): void };
}

interface Worker {
  readonly id: string;
  readonly jobIds: Set<string>;
  readonly stops: Set<string>;
  openPolls: number;
  stopPoll: Poll<readonly string[]> | undefined;
  /** Its process closed a request that had no answer yet: only a request of its own shows it alive again. */
  hasBrokenOff: boolean;
}

/**
 * Worker processes that nobody here started. They ask for jobs, tell what comes of them and ping; a
 * worker that falls silent for `silenceMs` of real time has lost its jobs.
 */
export class Fleet {
  readonly silenceMs: number;
  readonly #workers = new Map<string, Worker>();
  readonly #offers = new Set<Offer>();
  readonly #assignments = new Map<string, Assignment>();
  readonly #wakers = new Set<() => void>();
  readonly #leftovers = new Leftovers(() => {
    for (const wake of this.#wakers) wake();
  });

  constructor(silenceMs: number) {
    this.silenceMs = silenceMs;
  }

  /** Whether some worker waits for a job. */
  get hasOffer(): boolean {
    return this.#offers.size > 0;
  }

  /** Whether some worker waits that can be given this job. */
  canTake(jobId: string): boolean {
    return this.#offerFor(jobId) !== undefined;
  }

  /** A worker had this job when the server was stopped: it may not have noticed, and go on with it. */
  takeBack(workerId: string, jobId: string): void {
    this.#endOn(this.#seen(workerId), jobId);
  }

  /** Workers that wait for something or have a job. */
  get connected(): number {
    return this.#count(({ openPolls, jobIds }) => openPolls > 0 || jobIds.size > 0);
  }

  /** Workers that have a job. */
  get busy(): number {
    return this.#count(({ jobIds }) => jobIds.size > 0);
  }

  /** Calls `wake` whenever a worker begins to wait; the answer ends that. */
  onOffer(wake: () => void): () => void {
    this.#wakers.add(wake);
    return () => void this.#wakers.delete(wake);
  }

  /** Gives a job to the worker that has waited longest of those that can take it. There has to be one. */
  hand(job: HandedJob, report: WorkReport): Work & { readonly workerId: string } {
    const offer = this.#offerFor(job.id);
    if (offer === undefined) throw new Error("no worker waits for this job");
    const { workerId, size, jobs, poll } = offer;
    jobs.push(job);
    if (jobs.length === size) this.#offers.delete(offer);
    // One turn later, so that jobs which wait for one worker reach it in one answer.
    if (jobs.length === 1) {
      setImmediate(() => {
        this.#offers.delete(offer);
        poll.answer(jobs);
      });
    }
    const worker = this.#seen(workerId);
    // It would stop what it begins now.
    worker.stops.delete(job.id);
    worker.jobIds.add(job.id);
    this.#assignments.set(job.id, { workerId, report, watch: this.#watch(job.id) });
    return { workerId, stop: () => this.#stop(job.id) };
  }

  /** Answers with up to `size` jobs, at least one of them, or with none when `poll` is over. */
  take(workerId: string, size: number, poll: Poll<readonly HandedJob[]>): void {
    const offer: Offer = { workerId, size, jobs: [], poll };
    this.#offers.add(offer);
    this.#attend(this.#seen(workerId), poll, () => this.#offers.delete(offer));
    for (const wake of this.#wakers) {
      if (!this.#offers.has(offer)) return;
      wake();
    }
  }

  /** Answers with the jobs that the worker has to stop, as soon as there are any. */
  awaitStops(workerId: string, poll: Poll<readonly string[]>): void {
    const worker = this.#seen(workerId);
    this.#leftovers.asked(workerId);
    worker.stopPoll = poll;
    this.#attend(worker, poll, () => {
      if (worker.stopPoll === poll) worker.stopPoll = undefined;
    });
    this.#tellStops(worker);
  }

  /** A ping of the process beside the worker, which outlives a worker that crashes. */
  ping(workerId: string, jobIds: readonly string[]): void {
    const worker = this.#workers.get(workerId);
    if (worker === undefined || worker.hasBrokenOff) return;
    for (const id of jobIds) {
      // A stop that reached the worker before it had begun the job was lost on it: it is told again.
      if (worker.jobIds.has(id)) this.#rewatch(id);
      else this.#endOn(worker, id);
    }
    this.#tellStops(worker);
  }

  chunk(workerId: string, jobId: string, output: unknown): void {
    this.#assigned(workerId, jobId)?.report.chunk(output, false);
  }

  progress(workerId: string, jobId: string, output: unknown): void {
    this.#assigned(workerId, jobId)?.report.progress(output);
  }

  /** The job has ended. A report of a job that the worker no longer has means nothing. */
  done(workerId: string, jobId: string, ending: HandlerEnding): void {
    const assignment = this.#assigned(workerId, jobId);
    if (assignment === undefined) return;
    this.#forget(jobId);
    assignment.report.ended(ending);
  }

  close(): void {
    for (const jobId of this.#assignments.keys()) this.#forget(jobId);
    for (const { poll } of this.#offers) poll.answer([]);
    for (const { stopPoll } of this.#workers.values()) stopPoll?.answer([]);
    this.#wakers.clear();
    this.#leftovers.close();
  }

  #offerFor(jobId: string): Offer | undefined {
    for (const offer of this.#offers) {
      if (!this.#leftovers.has(offer.workerId, jobId)) return offer;
    }
    return undefined;
  }

  #count(matches: (worker: Worker) => boolean): number {
    let count = 0;
    for (const worker of this.#workers.values()) if (matches(worker)) count += 1;
    return count;
  }

  /** The worker, which has just shown that it lives. */
  #seen(id: string): Worker {
    const known = this.#workers.get(id);
    if (known !== undefined) {
      known.hasBrokenOff = false;
      return known;
    }
    const worker: Worker = {
      id,
      jobIds: new Set(),
      stops: new Set(),
      openPolls: 0,
      stopPoll: undefined,
      hasBrokenOff: false,
    };
    this.#workers.set(id, worker);
    return worker;
  }

  #attend(worker: Worker, poll: Pick<Poll<unknown>, "onOver">, over: () => void): void {
    worker.openPolls += 1;
    poll.onOver((how) => {
      worker.openPolls -= 1;
      if (how === "broken-off") worker.hasBrokenOff = true;
      over();
      this.#dropGone(worker);
    });
  }

  /** A worker that has gone for good is not kept. */
  #dropGone(worker: Worker): void {
    const { id, openPolls, jobIds, hasBrokenOff } = worker;
    if (openPolls === 0 && jobIds.size === 0 && hasBrokenOff) this.#workers.delete(id);
  }

  #assigned(workerId: string, jobId: string): Assignment | undefined {
    this.#seen(workerId);
    const assignment = this.#assignments.get(jobId);
    if (assignment?.workerId !== workerId) return undefined;
    this.#rewatch(jobId);
    return assignment;
  }

  #watch(jobId: string): Assignment["watch"] {
    const controller = new AbortController();
    controller.signal.addEventListener("abort", () => this.#lose(jobId), { once: true });
    return abortAfter(controller, this.silenceMs);
  }

  #rewatch(jobId: string): void {
    const assignment = this.#assignments.get(jobId);
    if (assignment === undefined) return;
    assignment.watch.cancel();
    assignment.watch = this.#watch(jobId);
  }

  #lose(jobId: string): void {
    const assignment = this.#assignments.get(jobId);
    this.#stop(jobId);
    assignment?.report.ended({ kind: "died" });
  }

  /** The job is over from outside: its worker is told, and what it still says of it is not heard. */
  #stop(jobId: string): void {
    const assignment = this.#assignments.get(jobId);
    if (assignment === undefined) return;
    this.#forget(jobId);
    const worker = this.#workers.get(assignment.workerId);
    if (worker === undefined) return;
    this.#endOn(worker, jobId);
    this.#tellStops(worker);
  }

  #endOn({ id, stops }: Worker, jobId: string): void {
    stops.add(jobId);
    this.#leftovers.add(id, jobId);
  }

  #tellStops({ id, stops, stopPoll }: Worker): void {
    if (stops.size === 0 || stopPoll === undefined) return;
    this.#leftovers.told(id, stops);
    stopPoll.answer([...stops]);
    stops.clear();
  }

  #forget(jobId: string): void {
    const assignment = this.#assignments.get(jobId);
    if (assignment === undefined) return;
    assignment.watch.cancel();
    this.#assignments.delete(jobId);
    const worker = this.#workers.get(assignment.workerId);
    worker?.jobIds.delete(jobId);
    if (worker !== undefined) this.#dropGone(worker);
  }
}
