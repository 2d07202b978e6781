import type { Exchange } from "../../client/index.ts";
import type { OperationName } from "../../openapi/index.ts";
import { isSuccess } from "../read.ts";
import { finalStates, readRecord } from "../record.ts";
import type { SharedExclusiveLock, LockMode } from "./shared-exclusive-lock.ts";

/** How a check holds its endpoint. */
export interface LeaseOptions {
  /** It needs the endpoint to itself from its first job to its end. */
  readonly exclusive: boolean;
  /** It holds the lock for as long as it runs: time that stands still is never waited for. */
  readonly holdsWhileWaiting: boolean;
  /** Others work on the same endpoint: it may leave only when none of its jobs is unfinished. */
  readonly shared: boolean;
  readonly mode: LockMode;
  readonly signal: AbortSignal | undefined;
  /** Told when it begins to wait for a moment that is some time away, in milliseconds from now. */
  readonly onWaiting?: ((ms: number) => void) | undefined;
}

/** A shorter wait is not worth telling: it is over before somebody has read of it. */
const waitToldMsMin = 1000;

/** The operations after which the endpoint is no longer what it was. */
const changing: ReadonlySet<OperationName> = new Set(["run", "runsync", "retry", "purge-queue"]);

/**
 * The hold that one check has on its endpoint. It takes the lock with the first operation that changes something, and
 * releases it while the check only waits; reading needs no lock, so that a read is never late.
 */
export class EndpointLease {
  readonly #lock: SharedExclusiveLock;
  readonly #options: LeaseOptions;
  readonly #unfinished = new Set<string>();
  #submitting = 0;
  #mode: LockMode;
  #delayMs = 0;
  #acquiring: Promise<void> | undefined;

  constructor(lock: SharedExclusiveLock, options: LeaseOptions) {
    this.#lock = lock;
    this.#options = options;
    this.#mode = options.mode;
  }

  /** Whether it has the endpoint to itself. */
  get isExclusive(): boolean {
    return this.#options.exclusive;
  }

  /** The jobs it submitted that were not seen to have ended. */
  get unfinished(): readonly string[] {
    return [...this.#unfinished];
  }

  /** By how much the harness itself was later than it meant to be, in milliseconds. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** To be called with how long a request was held back, or a wait outlasted what was wanted. */
  addDelay(ms: number): void {
    this.#delayMs += ms;
  }

  /** To be called before a sleep. */
  tellWait(ms: number): void {
    if (ms >= waitToldMsMin) this.#options.onWaiting?.(ms);
  }

  /** Takes the lock, unless it is held. */
  async acquire(): Promise<void> {
    const { exclusive, signal } = this.#options;
    this.#acquiring ??= exclusive
      ? this.#lock.acquireExclusive(signal)
      : this.#lock.acquireShared(this.#mode, signal);
    await this.#acquiring;
  }

  /** To be called before something is to be changed at a certain moment. */
  async acquireAgain(): Promise<void> {
    await this.acquire();
  }

  /** To be called before a request is sent. */
  async beforeRequest(operation: OperationName): Promise<void> {
    if (!changing.has(operation)) return;
    await this.acquire();
    this.#submitting += 1;
  }

  /** To be called with the answer of every request. */
  afterAnswer(exchange: Exchange): void {
    if (changing.has(exchange.operation)) this.#submitting -= 1;
    const { answer, operation, request } = exchange;
    if (answer?.status === 404) this.#unfinished.delete(request.jobId ?? "");
    if (answer === undefined || !isSuccess(answer)) return;
    const read = readRecord(exchange);
    if (!read.ok) return;
    if (finalStates.includes(read.body.status)) this.#unfinished.delete(read.body.id);
    else if (changing.has(operation)) this.#unfinished.add(read.body.id);
  }

  /** To be called before time is let go by: releases the lock where nobody can be disturbed by that. */
  releaseWhileWaiting(): void {
    const { exclusive, holdsWhileWaiting, shared } = this.#options;
    if (exclusive || holdsWhileWaiting) return;
    if (shared && this.#unfinished.size + this.#submitting > 0) return;
    this.release();
  }

  /** Releases the lock, if it is held. */
  release(): void {
    if (this.#acquiring === undefined) return;
    const mode = this.#mode;
    const giveBack = (): void => {
      if (this.#options.exclusive) this.#lock.releaseExclusive();
      else this.#lock.releaseShared(mode);
    };
    // A lock that was never acquired, because the run was stopped, is not released.
    this.#acquiring.then(giveBack, () => undefined);
    this.#acquiring = undefined;
    // A check that has waited comes back for a moment only, and may have no time to wait for a long share.
    this.#mode = "short";
  }
}
