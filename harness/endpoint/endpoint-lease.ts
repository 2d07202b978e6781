import type { Exchange } from "../../client/index.ts";
import type { OperationName } from "../../openapi/index.ts";
import { isSuccess } from "../read.ts";
import { finalStates, readRecord } from "../record.ts";
import type { Floor, Stay } from "./shared-exclusive-lock.ts";

/** When a check comes and goes. */
export interface Manners {
  /** It needs the endpoint to itself from its first job to its end. */
  readonly exclusive: boolean;
  /** It stays for as long as it runs: time that stands still is never waited for. */
  readonly stays: boolean;
  /** Others work on the same endpoint: it may leave only when none of its jobs is unfinished. */
  readonly shared: boolean;
  readonly stay: Stay;
  readonly signal: AbortSignal | undefined;
  /** Told when it begins to wait for a moment that is some time away, in milliseconds from now. */
  readonly onWaiting?: ((ms: number) => void) | undefined;
}

/** A shorter wait is not worth telling: it is over before somebody has read of it. */
const waitToldMsMin = 1000;

/** The operations after which the endpoint is no longer what it was. */
const changing: ReadonlySet<OperationName> = new Set(["run", "runsync", "retry", "purge-queue"]);

/**
 * One check on the floor. It takes its seat with the first operation that changes something, and gives it up while
 * it only waits; looking needs no seat, so that a look is never late.
 */
export class Guest {
  readonly #floor: Floor;
  readonly #manners: Manners;
  readonly #unfinished = new Set<string>();
  #submitting = 0;
  #stay: Stay;
  #delayMs = 0;
  #entering: Promise<void> | undefined;

  constructor(floor: Floor, manners: Manners) {
    this.#floor = floor;
    this.#manners = manners;
    this.#stay = manners.stay;
  }

  /** Whether it has the endpoint to itself. */
  get alone(): boolean {
    return this.#manners.exclusive;
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
  delayed(ms: number): void {
    this.#delayMs += ms;
  }

  /** To be called before a sleep. */
  sleeps(ms: number): void {
    if (ms >= waitToldMsMin) this.#manners.onWaiting?.(ms);
  }

  /** Takes a seat, if there is none yet. */
  async enter(): Promise<void> {
    const { exclusive, signal } = this.#manners;
    this.#entering ??= exclusive ? this.#floor.claim(signal) : this.#floor.join(this.#stay, signal);
    await this.#entering;
  }

  /** To be called before something is to be changed at a certain moment. */
  async returns(): Promise<void> {
    await this.enter();
  }

  /** To be called before a request is sent. */
  async before(operation: OperationName): Promise<void> {
    if (!changing.has(operation)) return;
    await this.enter();
    this.#submitting += 1;
  }

  /** To be called with the answer of every request. */
  after(exchange: Exchange): void {
    if (changing.has(exchange.operation)) this.#submitting -= 1;
    const { answer, operation, request } = exchange;
    if (answer?.status === 404) this.#unfinished.delete(request.jobId ?? "");
    if (answer === undefined || !isSuccess(answer)) return;
    const read = readRecord(exchange);
    if (!read.ok) return;
    if (finalStates.includes(read.body.status)) this.#unfinished.delete(read.body.id);
    else if (changing.has(operation)) this.#unfinished.add(read.body.id);
  }

  /** To be called before time is let go by: gives the seat up where nobody can be disturbed by that. */
  waits(): void {
    const { exclusive, stays, shared } = this.#manners;
    if (exclusive || stays) return;
    if (shared && this.#unfinished.size + this.#submitting > 0) return;
    this.leave();
  }

  /** Gives the seat up, if there is one. */
  leave(): void {
    if (this.#entering === undefined) return;
    const stay = this.#stay;
    const giveBack = (): void => {
      if (this.#manners.exclusive) this.#floor.yieldUp();
      else this.#floor.leave(stay);
    };
    // A seat that was never got, because the run was stopped, is not given back.
    this.#entering.then(giveBack, () => undefined);
    this.#entering = undefined;
    // Who has waited elsewhere comes back for a moment only, and may have no time to wait for a long seat.
    this.#stay = "short";
  }
}
