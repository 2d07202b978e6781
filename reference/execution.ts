import type { Behaviour } from "./behaviour.ts";
import type { Clock, Timer } from "./clock.ts";
import { planWork, type Ending, type WorkPlan } from "./handler.ts";
import { tell, type Job } from "./job.ts";
import { splitChunk } from "./stream.ts";
import type { JobEvent } from "./transitions.ts";
import type { Workers } from "./workers.ts";

/** A worker's work on one job, from the moment it took it. */
interface Run {
  readonly job: Job;
  readonly plan: WorkPlan;
  readonly startedAtMs: number;
  readonly workerNumber: number;
  step: Timer | undefined;
  timeout: Timer | undefined;
  holdsWorker: boolean;
  isStopped: boolean;
}

export interface ExecutionHost {
  readonly behaviour: Behaviour;
  readonly clock: Clock;
  readonly workers: Workers;
  readonly defaultTimeoutMs: number | undefined;
  /** Applies an event to the job and answers whether it was legal; what the work came to goes with it. */
  readonly apply: (job: Job, event: JobEvent, outcome?: Outcome) => boolean;
}

export interface Outcome {
  readonly output?: unknown;
  readonly error?: string;
}

/** The queue and the workers of one endpoint: who waits, who is being processed, what ends when. */
export class Execution {
  /** In order of arrival; a Map, because jobs leave from its middle. */
  readonly queue = new Map<string, Job>();
  readonly #runs = new Map<string, Run>();
  /** The waiting jobs for which an endpoint that scales adds a worker. */
  readonly #eager = new Set<Job>();
  readonly #host: ExecutionHost;
  #isDispatching = false;
  /** The numbers of workers that had a job and are free, the last one on top. */
  readonly #freeNumbers: number[] = [];
  #numbersGiven = 0;

  constructor(host: ExecutionHost) {
    this.#host = host;
  }

  get inProgressCount(): number {
    return this.#runs.size;
  }

  enqueue(job: Job): void {
    if (!this.#host.behaviour.lifecycle.entersQueue(job)) return;
    this.queue.set(job.id, job);
    if (this.#host.behaviour.lifecycle.triggersScaling(job)) this.#eager.add(job);
    this.dispatch();
  }

  leaveQueue(job: Job): void {
    this.queue.delete(job.id);
    this.#eager.delete(job);
  }

  /** Hands waiting jobs to workers until one of the two runs out. A loop, because work may take no time. */
  dispatch(): void {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    for (;;) {
      const job = this.#takeNext();
      if (job === undefined) break;
      this.#start(job);
    }
    this.#isDispatching = false;
  }

  /** The job's state has left IN_PROGRESS by an event from outside the worker. */
  interrupt(job: Job, event: JobEvent): void {
    const run = this.#runs.get(job.id);
    if (run === undefined) return;
    const { lifecycle } = this.#host.behaviour;
    run.timeout?.cancel();
    if (lifecycle.stopsHandler(job, event)) this.#stop(run);
    if (lifecycle.freesWorker(job, event)) this.#releaseWorker(run);
    this.#runs.delete(job.id);
  }

  close(): void {
    for (const run of this.#runs.values()) this.#stop(run);
    this.#runs.clear();
    this.queue.clear();
    this.#eager.clear();
  }

  #takeNext(): Job | undefined {
    const { workers, behaviour } = this.#host;
    if (behaviour.lifecycle.findsWorker(workers.idle))
      return behaviour.lifecycle.takeNext(this.queue);
    if (!workers.canGrow) return undefined;

    // The new worker goes to the job that asked for it; a low-priority job waits for one that is there already.
    const [job] = this.#eager;
    if (job !== undefined) workers.grow();
    return job;
  }

  #start(job: Job): void {
    const { clock, behaviour, workers, apply, defaultTimeoutMs } = this.#host;
    const { lifecycle } = behaviour;
    this.leaveQueue(job);
    if (!apply(job, "worker-took")) return;

    const nowMs = clock.nowMs();
    workers.take();
    job.startedAtMs = nowMs;
    job.dispatches += 1;
    const workerNumber = this.#freeNumbers.pop() ?? (this.#numbersGiven += 1);
    job.workerId = `worker-${workerNumber}`;
    const plan = planWork(lifecycle.handlerInput(job), {
      jobId: job.id,
      attempt: job.attempt,
      s3Config: lifecycle.handlerS3Config(job),
    });
    const run: Run = {
      job,
      plan,
      startedAtMs: nowMs,
      workerNumber,
      step: undefined,
      timeout: undefined,
      holdsWorker: true,
      isStopped: false,
    };
    this.#runs.set(job.id, run);
    this.#proceed(run, 0);
    if (this.#runs.get(job.id) !== run) return;

    const timeoutMs = lifecycle.executionTimeoutMs(job, defaultTimeoutMs);
    const startsAtMs = lifecycle.executionTimeoutStartsAtMs(job, nowMs);
    run.timeout = clock.schedule(startsAtMs + timeoutMs, () =>
      apply(job, "execution-timed-out", { error: `executionTimeout of ${timeoutMs} ms exceeded` }),
    );
  }

  /** Yields every chunk that is due, then waits for the next one or for the end. */
  #proceed(run: Run, firstIndex: number): void {
    const { clock } = this.#host;
    const { plan, startedAtMs } = run;
    const workedMs = clock.nowMs() - startedAtMs;
    let index = firstIndex;
    while (index < plan.chunkCount && (index + 1) * plan.chunkIntervalMs <= workedMs) {
      this.#yieldChunk(run, index);
      index += 1;
    }

    if (index < plan.chunkCount) {
      const atMs = startedAtMs + (index + 1) * plan.chunkIntervalMs;
      run.step = clock.schedule(atMs, () => this.#proceed(run, index));
    } else if (plan.endsAfterMs > workedMs) {
      run.step = clock.schedule(startedAtMs + plan.endsAfterMs, () => this.#finish(run));
    } else {
      this.#finish(run);
    }
  }

  #yieldChunk({ job, plan }: Run, index: number): void {
    const { stream } = this.#host.behaviour;
    const pieces = splitChunk(plan.chunkAt(index), stream.chunkBytesMax);
    const isLastChunk = index === plan.chunkCount - 1;
    for (const [at, piece] of pieces.entries()) {
      stream.keep(job, piece, isLastChunk && at === pieces.length - 1);
    }
    tell(job.listeners);
  }

  /** The handler has come to its end. Its worker is free before the next job is looked for. */
  #finish(run: Run): void {
    if (run.isStopped) return;
    const { job, plan } = run;
    const { behaviour, apply } = this.#host;
    this.#stop(run);
    if (this.#runs.get(job.id) === run) this.#runs.delete(job.id);
    const [event, outcome] = endingOf(plan.ending, job, behaviour);
    if (behaviour.lifecycle.freesWorker(job, event)) this.#releaseWorker(run);
    apply(job, event, outcome);
    this.dispatch();
  }

  #stop(run: Run): void {
    run.isStopped = true;
    run.step?.cancel();
    run.timeout?.cancel();
  }

  #releaseWorker(run: Run): void {
    if (!run.holdsWorker) return;
    run.holdsWorker = false;
    this.#freeNumbers.push(run.workerNumber);
    this.#host.workers.release();
  }
}

function endingOf(
  ending: Ending,
  job: Job,
  { lifecycle }: Behaviour,
): readonly [JobEvent, Outcome] {
  switch (ending.kind) {
    case "returned":
      return ["handler-returned", { output: ending.output() }];
    case "raised":
      return ["handler-raised", { error: ending.message }];
    case "died":
      return job.dispatches < lifecycle.dispatchesMax
        ? ["worker-died", {}]
        : ["worker-died-again", { error: lifecycle.lostError(job) }];
  }
}
