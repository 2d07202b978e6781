import { monotonicNowMs } from "../../client/index.ts";
import type { Exchange } from "../../client/index.ts";
import type { OperationName } from "../../openapi/index.ts";
import { isSuccess } from "../read.ts";
import { finalStates, readRecord } from "../record.ts";
import type { EndpointPool, HeldEndpoint, Hold, HoldRequest } from "./endpoint-pool.ts";
import { StallGroup } from "./stall-group.ts";

/** How a check holds its endpoint. */
export interface LeaseOptions {
  /** How it holds it first. */
  readonly hold: "short" | "long" | "exclusive";
  /** How it holds it while it stalls the workers, unless it has it alone. */
  readonly stallsBy: "stalled" | "purging";
  /** The number of the endpoint it wants; absent: whichever is free. */
  readonly endpoint?: number | undefined;
  /** Whether it is to stall the workers together with others. */
  readonly isToStall: boolean;
  /** How long a stall may last that it shares, in milliseconds; absent: as long as others need it. */
  readonly stallMsMax: number | undefined;
  /** It holds it for as long as it runs: time that stands still is never waited for. */
  readonly holdsWhileWaiting: boolean;
  /** Others work on the same endpoint: it may leave only when none of its jobs is unfinished. */
  readonly shared: boolean;
  /** In how many milliseconds the rate limits of an endpoint allow what it is to do there. */
  readonly readyInMs?: HoldRequest["readyInMs"];
  readonly signal: AbortSignal | undefined;
  /** Told when it begins to wait for a moment that is some time away, in milliseconds from now. */
  readonly onWaiting?: ((ms: number) => void) | undefined;
}

/** For how long a check has held its endpoint, in milliseconds. */
export interface HeldMs {
  /** Together with others. */
  readonly sharing: number;
  /** While no worker was free, and until its jobs had ended then; or alone. */
  readonly alone: number;
}

/** A shorter wait is not worth telling: it is over before somebody has read of it. */
const waitToldMsMin = 1000;

/** The operations after which the endpoint is no longer what it was. */
const changing: ReadonlySet<OperationName> = new Set(["run", "runsync", "retry", "purge-queue"]);

/**
 * The hold that one check has on its endpoint. It takes it with the first operation that changes something, and gives
 * it back while the check only waits; reading needs no hold, so that a read is never late.
 */
export class EndpointLease {
  readonly #pool: EndpointPool;
  readonly #options: LeaseOptions;
  readonly #unfinished = new Set<string>();
  #submitting = 0;
  #hold: Hold;
  #delayMs = 0;
  #held: Promise<HeldEndpoint> | undefined;
  /** Where it began: its jobs are there. */
  #endpoint: number | undefined;
  #stalledWithOthers = false;
  /** When it was given the endpoint that it holds, and how. */
  #given: { readonly atMs: number; readonly as: keyof HeldMs } | undefined;
  #heldMs: HeldMs = { sharing: 0, alone: 0 };
  /** Tells the jobs that a webhook has shown as ended. */
  endedByWebhooks: () => readonly string[] = () => [];

  constructor(pool: EndpointPool, options: LeaseOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#hold = options.hold;
    this.#endpoint = options.endpoint;
  }

  /** The number of its endpoint; 0 before it has one. */
  get endpoint(): number {
    return this.#endpoint ?? 0;
  }

  /** Whether it has shared a stall with other checks, whose jobs may have come between its own. */
  get stalledWithOthers(): boolean {
    return this.#stalledWithOthers;
  }

  /** Whether it has the endpoint to itself. */
  get isExclusive(): boolean {
    return this.#options.hold === "exclusive";
  }

  /** Whether others share the endpoint with it at any moment. */
  get #isSharing(): boolean {
    return this.#hold === "short" || this.#hold === "long";
  }

  /** Whether a job of its own has not been seen to end. */
  get #isBusy(): boolean {
    return this.#unfinished.size + this.#submitting > 0;
  }

  #ownStall(): StallGroup {
    const stall = new StallGroup();
    stall.join(this);
    return stall;
  }

  /** The jobs it submitted that were not seen to have ended. */
  get unfinished(): readonly string[] {
    return [...this.#unfinished];
  }

  /** For how long it has held the endpoint before it gave it back. */
  get heldMs(): HeldMs {
    return this.#heldMs;
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

  /** Takes the endpoint, unless it holds it, where nothing is late by that. */
  async acquire(): Promise<void> {
    const { signal, readyInMs, isToStall, stallMsMax } = this.#options;
    const mayPurge = this.#hold === "exclusive" || this.#hold === "purging";
    this.#held ??= this.#pool.acquire({
      hold: this.#hold,
      holder: this,
      isToStall,
      stallMsMax,
      endpoint: this.#endpoint,
      readyInMs: mayPurge ? readyInMs : undefined,
      signal,
    });
    this.#endpoint = (await this.#held).endpoint;
    this.#given ??= { atMs: monotonicNowMs(), as: this.#isSharing ? "sharing" : "alone" };
  }

  /** The stall in which its jobs are to wait: one that other checks share, unless it has the endpoint to itself. */
  async joinStall(): Promise<StallGroup> {
    if (!this.isExclusive) {
      // A job at work would set a worker free in the middle of the others' stall.
      const hold = this.#isBusy ? "exclusive" : this.#options.stallsBy;
      this.release();
      this.#hold = hold;
      await this.#acquireLate();
    }
    const { stall = this.#ownStall() } = await this.#acquired();
    if (stall.size > 1) this.#stalledWithOthers = true;
    return stall;
  }

  /** Goes on with the others of a stall that is over. */
  async leaveStall(): Promise<void> {
    if (this.isExclusive) return;
    const { share } = await this.#acquired();
    this.#hold = "short";
    share();
  }

  /** Sends a purge, once for all whose jobs wait in the same stall to be purged. */
  async purge(send: () => Promise<Exchange>): Promise<Exchange> {
    if (this.#hold !== "purging") return send();
    const { stall } = await this.#acquired();
    return stall === undefined ? send() : stall.purge(this, send);
  }

  async #acquired(): Promise<HeldEndpoint> {
    if (this.#held === undefined) throw new Error("the endpoint is not held");
    return this.#held;
  }

  /** To be called some time before something is to be changed at a certain moment. */
  async acquireAgain(): Promise<void> {
    await this.acquire();
  }

  /** Takes it for what would be done now: jobs may end, and results be deleted, while others have the endpoint. */
  async #acquireLate(): Promise<void> {
    const askedAtMs = monotonicNowMs();
    await this.acquire();
    this.addDelay(monotonicNowMs() - askedAtMs);
  }

  /** To be called before a request is sent. */
  async beforeRequest(operation: OperationName): Promise<void> {
    if (!changing.has(operation)) return;
    await this.#acquireLate();
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

  /** To be called before time is let go by: gives the endpoint back where nobody can be disturbed by that. */
  releaseWhileWaiting(): void {
    const { holdsWhileWaiting, shared } = this.#options;
    if (!this.#isSharing || holdsWhileWaiting) return;
    for (const id of this.endedByWebhooks()) this.#unfinished.delete(id);
    if (shared && this.#isBusy) return;
    this.release();
  }

  /** Gives the endpoint back, if it is held. */
  release(): void {
    void this.#giveBack(this.#held);
    this.#held = undefined;
    if (this.#given !== undefined) {
      const { atMs, as } = this.#given;
      this.#heldMs = { ...this.#heldMs, [as]: this.#heldMs[as] + monotonicNowMs() - atMs };
      this.#given = undefined;
    }
    // A check that has waited comes back for a moment only, and may have no time to wait for a long share.
    if (this.#hold === "long") this.#hold = "short";
  }

  async #giveBack(acquired: Promise<HeldEndpoint> | undefined): Promise<void> {
    // One that was never acquired, because the run was stopped, is not given back.
    const held = await acquired?.catch(() => undefined);
    held?.stall?.leave(this);
    held?.release();
  }
}
