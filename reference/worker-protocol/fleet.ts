import { abortAfter } from "../clock.ts";
import type { HandlerEnding, Work, WorkReport } from "../handler.ts";
import type { JsonObject } from "../job.ts";
import { JobsBeingStopped } from "./jobs-being-stopped.ts";
import type { Poll } from "./poll.ts";

/** A worker pings this often within the silence that makes it count as gone; the library takes whole seconds. */
const PINGS_PER_SILENCE = 4;
const PING_MS = { min: 1_000, max: 10_000 };

/**
 * The environment that a worker of the vendor's Python library is started with, without its
 * RUNPOD_POD_ID, which is each worker's own. `$ID` and `$RUNPOD_POD_ID` are filled in by the library.
 */
export function workerEnvironment(
  baseUrl: string,
  { id: endpointId, apiKey }: { readonly id: string; readonly apiKey: string },
  { silenceMs }: { readonly silenceMs: number },
): Readonly<Record<string, string>> {
  const at = `${baseUrl}/v2/${endpointId}`;
  const pingMs = Math.floor(silenceMs / PINGS_PER_SILENCE / 1_000) * 1_000;
  return {
    RUNPOD_WEBHOOK_GET_JOB: `${at}/job-take/$ID?gpu=none`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${at}/job-done/$RUNPOD_POD_ID/$ID?gpu=none`,
    RUNPOD_WEBHOOK_POST_STREAM: `${at}/job-stream/$RUNPOD_POD_ID/$ID?gpu=none`,
    RUNPOD_WEBHOOK_PING: `${at}/ping/$RUNPOD_POD_ID`,
    RUNPOD_PING_INTERVAL: String(Math.min(Math.max(pingMs, PING_MS.min), PING_MS.max)),
    RUNPOD_AI_API_KEY: apiKey,
    RUNPOD_ENDPOINT_ID: endpointId,
    // The library's start-up checks look for a GPU and for the internet.
    RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: "true",
    RUNPOD_SKIP_GPU_CHECK: "true",
  };
}

/** A job as a worker is given it. The live service sends no `attempt`. */
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
  /** How many bytes its chunks have had so far. */
  chunkBytes: number;
  /** When this timer runs out, the job is lost. */
  watch: { cancel(): void };
}

/** What a worker has yielded, and how large the request was that brought it. */
export interface StreamedChunk {
  readonly output: unknown;
  readonly bytes: number;
}

/** As much as the built-in handler yields at most; a file of state and every stream hold all of it. */
const chunkBytesMax = 64 * 1_048_576;

interface Worker {
  readonly id: string;
  readonly jobIds: Set<string>;
  readonly stops: Set<string>;
  openPolls: number;
  stopPoll: Poll<readonly string[]> | undefined;
  /** Its process closed a request before the answer. Only a request of its own, not a ping, shows it alive again. */
  hasBrokenOff: boolean;
}

export interface FleetOptions {
  /** How long a worker may be silent before its jobs count as lost. */
  readonly silenceMs: number;
  /** How long a poll of a worker is held where there is nothing for it; default 20 s. */
  readonly holdMs?: number;
}

/** Well below the 90 s after which the worker library gives up a poll. */
const holdMsDefault = 20_000;

/**
 * Worker processes that were started elsewhere. They ask for jobs, report what comes of them and ping. A job of which
 * nothing is heard for `silenceMs` of real time is lost.
 */
export class Fleet {
  readonly silenceMs: number;
  /** How long a poll of a worker is held where there is nothing for it. */
  readonly holdMs: number;
  readonly #workers = new Map<string, Worker>();
  readonly #offers = new Set<Offer>();
  readonly #assignments = new Map<string, Assignment>();
  readonly #wakers = new Set<() => void>();
  readonly #jobsBeingStopped = new JobsBeingStopped(() => {
    for (const wake of this.#wakers) wake();
  });

  constructor({ silenceMs, holdMs = holdMsDefault }: FleetOptions) {
    this.silenceMs = silenceMs;
    this.holdMs = holdMs;
  }

  /** Whether a worker waits for a job. */
  get hasOffer(): boolean {
    return this.#offers.size > 0;
  }

  /** Whether a worker waits that can be given this job. */
  canTake(jobId: string): boolean {
    return this.#offerFor(jobId) !== undefined;
  }

  /** Tells a worker to stop a job that it had when the server stopped, since it may still be working on it. */
  takeBack(workerId: string, jobId: string): void {
    this.#requestStop(this.#findOrAddWorker(workerId), jobId);
  }

  /** How many workers wait for something or have a job. */
  get connected(): number {
    return this.#count(({ openPolls, jobIds }) => openPolls > 0 || jobIds.size > 0);
  }

  /** How many workers have a job. */
  get busy(): number {
    return this.#count(({ jobIds }) => jobIds.size > 0);
  }

  /** Calls `wake` whenever a worker may be able to take a job, until the returned function is called. */
  onOffer(wake: () => void): () => void {
    this.#wakers.add(wake);
    return () => void this.#wakers.delete(wake);
  }

  /** Gives a job to the worker that has waited longest of those that can take it. @throws Error where there is none */
  hand(job: HandedJob, report: WorkReport): Work & { readonly workerId: string } {
    const offer = this.#offerFor(job.id);
    if (offer === undefined) throw new Error("no worker waits for this job");
    const { workerId, size, jobs, poll } = offer;
    jobs.push(job);
    if (jobs.length === size) this.#offers.delete(offer);
    // The answer goes out one turn later, so that several jobs for one worker reach it together.
    if (jobs.length === 1) {
      setImmediate(() => {
        this.#offers.delete(offer);
        poll.answer(jobs);
      });
    }
    const worker = this.#findOrAddWorker(workerId);
    // A stop from before would end the work that begins now.
    worker.stops.delete(job.id);
    worker.jobIds.add(job.id);
    this.#assignments.set(job.id, { workerId, report, chunkBytes: 0, watch: this.#watch(job.id) });
    return { workerId, stop: () => this.#stop(job.id) };
  }

  /** Answers `poll` with 1 to `size` jobs, or with none when it is over. */
  take(workerId: string, size: number, poll: Poll<readonly HandedJob[]>): void {
    const offer: Offer = { workerId, size, jobs: [], poll };
    this.#offers.add(offer);
    this.#trackPoll(this.#findOrAddWorker(workerId), poll, () => this.#offers.delete(offer));
    for (const wake of this.#wakers) {
      if (!this.#offers.has(offer)) return;
      wake();
    }
  }

  /** Answers `poll` with the jobs that the worker has to stop, as soon as there are any. */
  awaitStops(workerId: string, poll: Poll<readonly string[]>): void {
    const worker = this.#findOrAddWorker(workerId);
    this.#jobsBeingStopped.noteStopsPolled(workerId);
    worker.stopPoll = poll;
    this.#trackPoll(worker, poll, () => {
      if (worker.stopPoll === poll) worker.stopPoll = undefined;
    });
    this.#sendStops(worker);
  }

  /** Takes a ping. It comes from a process beside the worker, which outlives a worker that crashes. */
  ping(workerId: string, jobIds: readonly string[]): void {
    const worker = this.#workers.get(workerId);
    if (worker === undefined || worker.hasBrokenOff) return;
    for (const id of jobIds) {
      // A worker ignores a stop that arrives before it has begun the job, so it is told again.
      if (worker.jobIds.has(id)) this.#rewatch(id);
      else this.#requestStop(worker, id);
    }
    this.#sendStops(worker);
  }

  /** Keeps a chunk of so many bytes. A job whose chunks come to more than any output may have fails, and is stopped. */
  chunk(workerId: string, jobId: string, { output, bytes }: StreamedChunk): void {
    const assignment = this.#assigned(workerId, jobId);
    if (assignment === undefined) return;
    assignment.chunkBytes += bytes;
    if (assignment.chunkBytes <= chunkBytesMax) return assignment.report.chunk(output, false);
    const message = `its chunks came to more than ${chunkBytesMax / 1_048_576} MiB`;
    this.done(workerId, jobId, { kind: "raised", message, output: undefined });
    const worker = this.#findOrAddWorker(workerId);
    this.#requestStop(worker, jobId);
    this.#sendStops(worker);
  }

  progress(workerId: string, jobId: string, output: unknown): void {
    this.#assigned(workerId, jobId)?.report.progress(output);
  }

  /** Ends the job. A report about a job that the worker no longer has is ignored. */
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
    this.#jobsBeingStopped.close();
  }

  #offerFor(jobId: string): Offer | undefined {
    return [...this.#offers].find(({ workerId }) => !this.#jobsBeingStopped.has(workerId, jobId));
  }

  #count(matches: (worker: Worker) => boolean): number {
    return [...this.#workers.values()].filter(matches).length;
  }

  /** Finds or adds the worker, which has just shown that it lives. */
  #findOrAddWorker(id: string): Worker {
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

  #trackPoll(worker: Worker, poll: Pick<Poll<unknown>, "onOver">, over: () => void): void {
    worker.openPolls += 1;
    poll.onOver((how) => {
      worker.openPolls -= 1;
      if (how === "broken-off") worker.hasBrokenOff = true;
      over();
      this.#dropGone(worker);
    });
  }

  /** Forgets a worker that has gone for good: it broke off and has neither a poll nor a job. */
  #dropGone(worker: Worker): void {
    const { id, openPolls, jobIds, hasBrokenOff } = worker;
    if (openPolls === 0 && jobIds.size === 0 && hasBrokenOff) this.#workers.delete(id);
  }

  #assigned(workerId: string, jobId: string): Assignment | undefined {
    this.#findOrAddWorker(workerId);
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

  /** Ends a job from outside: its worker is told to stop, and what it still reports of the job is ignored. */
  #stop(jobId: string): void {
    const assignment = this.#assignments.get(jobId);
    if (assignment === undefined) return;
    this.#forget(jobId);
    const worker = this.#workers.get(assignment.workerId);
    if (worker === undefined) return;
    this.#requestStop(worker, jobId);
    this.#sendStops(worker);
  }

  #requestStop({ id, stops }: Worker, jobId: string): void {
    stops.add(jobId);
    this.#jobsBeingStopped.add(id, jobId);
  }

  #sendStops({ id, stops, stopPoll }: Worker): void {
    if (stops.size === 0 || stopPoll === undefined) return;
    this.#jobsBeingStopped.noteStopsSent(id, stops);
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
