import { setTimeout as pause } from "node:timers/promises";

import { monotonicNowMs } from "../client/exchange.ts";
import type { TransportResult } from "../client/exchange.ts";
import { isSubmission } from "../openapi/operations.ts";
import type { Exchange } from "../client/exchange.ts";
import { workMsOfSubmission } from "./inputs/conformance-jobs.ts";
import type { SendRequest } from "./new-jobs.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { cancelledAtWork, keepsWorkerMs, keptWorkers } from "./discovery/kept-workers.ts";
import type { EventLoopLag } from "./event-loop-lag.ts";
import { givenJobId } from "./evidence/failing.ts";
import { isFinal, recordShownBy } from "./record.ts";
import { brief } from "./show.ts";

/** So many waits in a row in which no job of the run has begun or ended: one may be chance. */
const vainWaitsMax = 2;
/** A shorter wait shows nothing, in milliseconds: a worker may have to start, or a job may be at work. */
const vainWaitMsMin = 20_000;
const bodyCharactersMax = 120;
/** A shorter job keeps no other one waiting for long, in milliseconds. */
const longWorkMsMin = 10_000;
/** A job may wait for so long beside those of other checks before it works, in milliseconds. */
const waitedMsMax = 30_000;
/** For so long a check waits at most for the workers that cancelled jobs keep, and looks so often, in milliseconds. */
const keptWaitMsMax = 60_000;
const keptPollMs = 100;

/** The id of the cause that no job begins or ends any more. */
export const nothingMovesId = "nothing-moves";

/** Why a difference proves nothing that a check saw meanwhile. */
export const nothingMoves = "no job of the run begins or ends any more";

/** Watches whether jobs of the run begin and end. Where none does any more, nobody waits for one. */
export class JobProgress {
  readonly #discovery: Discovery;
  readonly #states = new Map<string, string>();
  /** The submissions of jobs that were not seen to begin or to end, the earliest first. */
  readonly #unmoved = new Map<string, Exchange>();
  /** Until when each job of some length may work that was not seen to end, by its id, or by its request. */
  readonly #longWork = new Map<unknown, number>();
  readonly #workers: number;
  #movedAtMs = monotonicNowMs();
  /** When a read last showed a job unfinished. */
  #seenUnfinishedAtMs = 0;
  #endedAt: Date | undefined;
  /** When each wait began that was in vain since then. */
  readonly #vainWaits = new Set<number>();

  /**
   * @param workers how many the target has
   * @param lag for how long this process did not run
   */
  constructor(discovery: Discovery, workers: number, lag?: Pick<EventLoopLag, "stoppedMs">) {
    this.#discovery = discovery;
    this.#workers = workers;
    const { work } = discovery.seenOfJobs;
    work.workers = workers;
    work.stoppedMs = () => lag?.stoppedMs ?? 0;
  }

  /** Whether no job begins or ends any more. */
  get isStuck(): boolean {
    return this.#vainWaits.size >= vainWaitsMax;
  }

  /** Whether a job was seen to have begun. */
  hasBegun(id: string): boolean {
    return (this.#states.get(id) ?? "IN_QUEUE") !== "IN_QUEUE";
  }

  /**
   * Sends as `send` does, and knows of the jobs that runsync holds: their ids come with their ends. A job of which nobody
   * was told may still be at work.
   */
  watching(send: SendRequest): SendRequest {
    return async (request, context) => {
      if (context.operation !== "runsync") return send(request, context);
      const { held } = this.#discovery.seenOfJobs.work;
      if (workMsOfSubmission(request.body) > 0) held.set(request, monotonicNowMs());
      this.#noteLength(request, request.body);
      const result = await send(request, context);
      if (isToldOfJob(result)) {
        held.delete(request);
        this.#longWork.delete(request);
      }
      return result;
    };
  }

  #noteLength(job: unknown, body: string | Buffer | undefined): void {
    const workMs = workMsOfSubmission(body);
    if (workMs >= longWorkMsMin) this.#longWork.set(job, monotonicNowMs() + workMs + waitedMsMax);
  }

  /** Whether jobs that take so long may keep every worker busy. */
  get #areWorkersBusy(): boolean {
    const nowMs = monotonicNowMs();
    const atWork = [...this.#longWork.values()].filter((untilMs) => untilMs > nowMs);
    // Where a cancel does not stop the work of a job, that goes on.
    return atWork.length + this.#cancelledAtWork >= this.#workers;
  }

  /** Has to be called with every exchange. */
  note(exchange: Exchange): void {
    const record = recordShownBy(exchange);
    if (record === undefined) return;
    const { id, status } = record;
    if (isFinal(record)) this.#longWork.delete(id);
    else if (!isSubmission(exchange.operation)) this.#seenUnfinishedAtMs = monotonicNowMs();
    if (givenJobId(exchange) !== undefined && !this.#states.has(id)) {
      this.#unmoved.set(id, exchange);
      if (!isFinal(record)) this.#noteLength(id, exchange.request.body);
    }
    if (this.#states.get(id) === status) return;
    this.#states.set(id, status);
    // A job that is cancelled or waits shows nothing of the workers.
    if (isFinal(record)) this.#unmoved.delete(id);
    if (status === "IN_QUEUE" || status === "CANCELLED") return;
    this.#unmoved.delete(id);
    this.#movedAtMs = monotonicNowMs();
    this.#vainWaits.clear();
    if (isFinal(record)) this.#endedAt = new Date();
  }

  /** The id of the cause that a cancelled job keeps its worker; undefined where that was not learned. */
  get workersKeptBy(): string | undefined {
    return this.#discovery.knows(keptWorkers) ? keptWorkers : undefined;
  }

  /** How many workers cancelled jobs keep; 0 where a cancel frees them. */
  get #kept(): number {
    return this.workersKeptBy === undefined ? 0 : this.#cancelledAtWork;
  }

  get #cancelledAtWork(): number {
    return cancelledAtWork(this.#discovery.seenOfJobs.work);
  }

  /**
   * Waits, a minute at most, until cancelled jobs leave a worker to those that come, or all workers.
   * @param isForAll whether all workers are to be free
   */
  async untilWorkersAreLeft(isForAll: boolean, signal: AbortSignal | undefined): Promise<void> {
    const keptMax = isForAll ? 0 : this.#workers - 1;
    const untilMs = monotonicNowMs() + keptWaitMsMax;
    while (this.#kept > keptMax && monotonicNowMs() < untilMs) {
      await pause(keptPollMs, undefined, { signal });
    }
  }

  /** For how many milliseconds a job keeps its worker although it was cancelled. */
  keepsWorkerMs(id: string): number {
    return keepsWorkerMs(this.#discovery, id);
  }

  /** Has to be called where a check has waited in vain since `sinceMs` for a job of its own, and while it goes on to. */
  waitedInVain(sinceMs: number): void {
    // Where cancelled jobs keep workers, which of them are busy is not known.
    if (this.isStuck || this.workersKeptBy !== undefined) return;
    if (monotonicNowMs() - sinceMs < vainWaitMsMin) return;
    // What waits for chunks, or for a call, may do so while all jobs have ended.
    if (this.#seenUnfinishedAtMs < sinceMs) return;
    if (this.#movedAtMs > sinceMs || this.#areWorkersBusy) return;
    this.#vainWaits.add(sinceMs);
    if (this.isStuck) this.#learn();
  }

  #learn(): void {
    const [first] = this.#unmoved.values();
    const { operation, request } = first ?? { operation: "run", request: undefined };
    const body = request?.body === undefined ? "" : ` ${brief(request.body, bodyCharactersMax)}`;
    const since =
      this.#endedAt === undefined
        ? "no job has ended since the run began"
        : `no job has ended since ${this.#endedAt.toTimeString().slice(0, 8)}`;
    this.#discovery.learn({
      id: nothingMovesId,
      topic: "jobs",
      text: `${since}, and none has begun: the first that stays is of POST ${operation}${body}`,
      adapted: "no job is waited for until one moves",
      seen: first === undefined ? [] : [first],
    });
  }
}

/** Whether an answer of runsync tells of its job, or that there is none: one that says that it took too long does not. */
function isToldOfJob({ answer }: TransportResult): boolean {
  return answer !== undefined && answer.status < 500 && answer.status !== 408;
}
