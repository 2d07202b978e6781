import type { Behaviour } from "./behaviour.ts";
import { isJsonObject } from "./behaviour/submission.ts";
import type { Timer } from "./timer-queue.ts";
import type { PlannedEndpoint } from "./endpoint-plan.ts";
import type { HandlerEnding, Work, WorkReport } from "./handler.ts";
import { tell } from "./job.ts";
import type { Job } from "./job.ts";
import { LedgerCalls, ledgerOf } from "./ledger.ts";
import type { JobHandler } from "./own-handler.ts";
import { splitChunk } from "./stream.ts";
import type { TransitionEvent } from "./transitions.ts";
import type { Workers } from "./workers.ts";

/** A worker's work on one job, from the moment it took it. */
interface Run {
  readonly job: Job;
  /** Undefined once that worker has died: the one in its place has a number of its own. */
  workerNumber: number | undefined;
  work: Work | undefined;
  timeout: Timer | undefined;
  holdsWorker: boolean;
  isStopped: boolean;
}

/** Ledgers may be where webhooks may go. */
export interface ExecutionHost extends Pick<
  PlannedEndpoint<never>,
  "behaviour" | "clock" | "fleet" | "webhookTargets"
> {
  readonly endpointId: string;
  readonly workers: Workers;
  /** What the built-in workers do with a job. */
  readonly handler: JobHandler;
  readonly defaultTimeoutMs: number | undefined;
  /** Something of the job has changed beside its state. */
  readonly touch: (job: Job) => void;
  /** Applies an event to the job and answers whether it was legal; what the work came to goes with it. */
  readonly apply: (job: Job, event: TransitionEvent, outcome?: WorkOutcome) => boolean;
}

const noWork: Work = { stop: () => {} };

export interface WorkOutcome {
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
  readonly #ledgerCalls: LedgerCalls;
  readonly #stopListening: (() => void) | undefined;
  #isDispatching = false;
  /** The numbers of workers that had a job and are free, the last one on top. */
  readonly #freeNumbers: number[] = [];
  #numbersGiven = 0;

  constructor(host: ExecutionHost) {
    this.#host = host;
    this.#ledgerCalls = new LedgerCalls(host.clock, host.webhookTargets);
    this.#stopListening = host.fleet?.onOffer(() => this.dispatch());
  }

  get inProgressCount(): number {
    return this.#runs.size;
  }

  /** How many jobs of the queue count as waiting. */
  get waitingCount(): number {
    const { countsAsWaiting } = this.#host.behaviour.operations;
    return [...this.queue.values()].filter(countsAsWaiting).length;
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
  interrupt(job: Job, event: TransitionEvent): void {
    const run = this.#runs.get(job.id);
    if (run === undefined) return;
    const { lifecycle } = this.#host.behaviour;
    run.timeout?.cancel();
    if (lifecycle.stopsHandler(job, event)) this.#stop(run);
    if (lifecycle.freesWorker(job, event)) this.#releaseWorker(run);
    this.#runs.delete(job.id);
  }

  /** Runs the handler for a job once more after so long, whatever has become of it, and keeps nothing of that. */
  runUnseen(job: Job, delayMs: number): void {
    const { clock } = this.#host;
    const ignore: WorkReport = { chunk: () => {}, progress: () => {}, ended: () => {} };
    clock.schedule(clock.nowMs() + delayMs, () =>
      this.#beginBuiltIn({ job, workerNumber: undefined }, ignore),
    );
  }

  close(): void {
    this.#stopListening?.();
    for (const run of this.#runs.values()) this.#stop(run);
    this.#runs.clear();
    this.queue.clear();
    this.#eager.clear();
  }

  #takeNext(): Job | undefined {
    const { workers, behaviour, fleet } = this.#host;
    if (fleet !== undefined && !fleet.hasOffer) return undefined;
    if (behaviour.lifecycle.findsWorker(workers.idle)) return this.#firstThatCanGo();
    if (!workers.canGrow) return undefined;

    // The new worker goes to the job that asked for it; a low-priority job waits for one that is there already.
    const [job] = this.#eager;
    if (job === undefined || fleet?.canTake(job.id) === false) return undefined;
    workers.grow();
    return job;
  }

  /** The next job; where real workers work, the next that one of them may take. */
  #firstThatCanGo(): Job | undefined {
    const { behaviour, fleet } = this.#host;
    const next = behaviour.lifecycle.takeNext(this.queue);
    if (next === undefined || fleet === undefined || fleet.canTake(next.id)) return next;
    const others = [...this.queue].filter(([id]) => fleet.canTake(id));
    return behaviour.lifecycle.takeNext(new Map(others));
  }

  #start(job: Job): void {
    const { clock, behaviour, workers, apply, defaultTimeoutMs, endpointId } = this.#host;
    const { lifecycle } = behaviour;
    this.leaveQueue(job);
    if (!apply(job, "worker-took")) return;

    const nowMs = clock.nowMs();
    workers.take();
    job.startedAtMs = nowMs;
    job.dispatches += 1;
    const workerNumber = this.#freeNumbers.pop() ?? (this.#numbersGiven += 1);
    job.workerId = `worker-${workerNumber}`;
    const run: Run = {
      job,
      workerNumber,
      work: undefined,
      timeout: undefined,
      holdsWorker: true,
      isStopped: false,
    };
    this.#runs.set(job.id, run);
    run.work = this.#begin(run);
    if (this.#runs.get(job.id) !== run) return;

    const timeoutMs = lifecycle.executionTimeoutMs(job, defaultTimeoutMs, endpointId);
    const startsAtMs = lifecycle.executionTimeoutStartsAtMs(job, nowMs);
    run.timeout = clock.schedule(startsAtMs + timeoutMs, () =>
      apply(job, "execution-timed-out", { error: `executionTimeout of ${timeoutMs} ms exceeded` }),
    );
  }

  #begin(run: Run): Work {
    const { behaviour, fleet, touch } = this.#host;
    const { job } = run;
    const { attempt } = job;
    const report: WorkReport = {
      chunk: (output, isLast) => this.#keepChunk(run, output, isLast),
      progress: (output) => {
        if (run.isStopped) return;
        job.output = output;
        touch(job);
      },
      ended: (ending) => this.#finish(run, ending),
    };
    if (fleet === undefined) return this.#beginBuiltIn(run, report);
    const input = behaviour.lifecycle.handlerInput(job);
    const s3Config = behaviour.lifecycle.handlerS3Config(job);
    const { workerId, ...work } = fleet.hand({ id: job.id, input, attempt, s3Config }, report);
    job.workerId = workerId;
    return work;
  }

  #beginBuiltIn(
    { job, workerNumber = 0 }: Pick<Run, "job" | "workerNumber">,
    report: WorkReport,
  ): Work {
    const { clock, behaviour, handler } = this.#host;
    const { lifecycle } = behaviour;
    const ending = lifecycle.endingWithoutWork(job);
    if (ending !== undefined) {
      report.ended(ending);
      return noWork;
    }
    const input = lifecycle.handlerInput(job);
    const { id: jobId, attempt } = job;
    const handed = { jobId, attempt, input, s3Config: lifecycle.handlerS3Config(job) };
    const begin = (to: WorkReport): Work => handler(handed, clock, to);
    const url = ledgerOf(input);
    if (url === undefined) return begin(report);
    const entry = { jobId, attempt, worker: `worker-${workerNumber}` };
    return this.#ledgerCalls.begin({ url, entry }, report, begin);
  }

  #keepChunk({ job, isStopped }: Run, output: unknown, isLastChunk: boolean): void {
    if (isStopped) return;
    const { stream } = this.#host.behaviour;
    const pieces = isJsonObject(output) ? splitChunk(output, stream.chunkBytesMax) : [output];
    for (const [at, piece] of pieces.entries()) {
      stream.keep(job, piece, isLastChunk && at === pieces.length - 1);
    }
    tell(job.listeners);
  }

  /** The handler has come to its end. Its worker is free before the next job is looked for. */
  #finish(run: Run, ending: HandlerEnding): void {
    if (run.isStopped) return;
    const { job } = run;
    const { behaviour, apply } = this.#host;
    this.#stop(run);
    if (ending.kind === "died") run.workerNumber = undefined;
    if (this.#runs.get(job.id) === run) this.#runs.delete(job.id);
    const [event, outcome] = endingOf(ending, job, behaviour);
    if (behaviour.lifecycle.freesWorker(job, event)) this.#releaseWorker(run);
    apply(job, event, outcome);
    this.dispatch();
  }

  #stop(run: Run): void {
    run.isStopped = true;
    run.work?.stop();
    run.timeout?.cancel();
  }

  #releaseWorker(run: Run): void {
    if (!run.holdsWorker) return;
    run.holdsWorker = false;
    if (run.workerNumber !== undefined) this.#freeNumbers.push(run.workerNumber);
    this.#host.workers.release();
  }
}

function endingOf(
  ending: HandlerEnding,
  job: Job,
  { lifecycle }: Behaviour,
): readonly [TransitionEvent, WorkOutcome] {
  switch (ending.kind) {
    case "returned":
      return ["handler-returned", { output: ending.output() }];
    case "raised":
      return ["handler-raised", { error: ending.message, output: ending.output }];
    case "died":
      return job.dispatches < lifecycle.dispatchesMax
        ? ["worker-died", {}]
        : ["worker-died-again", { error: lifecycle.lostError(job) }];
  }
}
