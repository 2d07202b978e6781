import { setTimeout as sleep } from "node:timers/promises";

import { monotonicNowMs, printable } from "../client/index.ts";
import type { Exchange, TransportResult } from "../client/index.ts";
import type { OperationName } from "../openapi/index.ts";

/** How a run asks whether the target is still there. */
type Probe = () => Promise<TransportResult>;

/** So many requests in a row without a whole answer: one may be lost, this is a state. */
const silenceMax = 5;
/** A target that is started again comes back within this. */
const graceMsMax = 10_000;
const probePauseMs = 250;

/**
 * How long a run bears with a target that does not answer. One that answers nothing at all is given up, and an
 * operation that never answers is not asked again, so that a run lasts a few time-outs and not one for each check.
 */
export class Patience {
  readonly #timeoutMs: number;
  readonly #probe: Probe;
  readonly #listeners = new Set<(reason: string) => void>();
  readonly #silentCalls = new Map<OperationName, number>();
  readonly #closing = new AbortController();
  #silence = 0;
  #isProbing = false;
  #lost: string | undefined;

  /** @param probe asks anything of the target: whatever it answers, it is there */
  constructor(timeoutMs: number, probe: Probe) {
    this.#timeoutMs = timeoutMs;
    this.#probe = probe;
  }

  /** Why the target has been given up; `undefined` while it has not. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Why a request is of no use: the target is given up, or the operation never answers. */
  objectionTo(operation: OperationName): string | undefined {
    if (this.#lost !== undefined) return this.#lost;
    const silent = this.#silentCalls.get(operation) ?? 0;
    if (silent < silenceMax) return undefined;
    return `${operation} gave no answer ${String(silent)} times in a row and is not asked again`;
  }

  /** To be called with every request of the run and what became of it. */
  note({ answer, failure }: TransportResult): void {
    if (failure?.kind === "aborted") return;
    if (answer !== undefined) this.#silence = 0;
    else this.#silence += 1;
    if (this.#silence >= silenceMax && !this.#isProbing) void this.#lookAgain(failure?.message);
  }

  /** To be called with every call of an operation. Only waiting in vain counts: what fails at once costs nothing. */
  noteCall({ operation, answer, failure }: Exchange): void {
    if (answer !== undefined) this.#silentCalls.delete(operation);
    if (failure?.kind !== "timeout") return;
    this.#silentCalls.set(operation, (this.#silentCalls.get(operation) ?? 0) + 1);
  }

  /** Gives the target up. */
  lose(reason: string): void {
    if (this.#lost !== undefined || this.#closing.signal.aborted) return;
    this.#lost = reason;
    for (const listener of this.#listeners) listener(reason);
  }

  /** Calls the listener when the target is given up, at once where it has been. Returns how to stop listening. */
  onLost(listener: (reason: string) => void): () => void {
    if (this.#lost !== undefined) listener(this.#lost);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Ends what is under way. */
  close(): void {
    this.#closing.abort();
  }

  /** Gives the target up unless it answers anything soon. */
  async #lookAgain(why: string | undefined): Promise<void> {
    this.#isProbing = true;
    const { signal } = this.#closing;
    const endMs = monotonicNowMs() + Math.min(this.#timeoutMs, graceMsMax);
    do {
      const { answer } = await this.#probe();
      if (answer !== undefined) this.#silence = 0;
      await sleep(probePauseMs, undefined, { signal }).catch(() => undefined);
    } while (this.#silence > 0 && monotonicNowMs() < endMs && !signal.aborted);
    this.#isProbing = false;
    if (this.#silence === 0) return;
    const times = `${String(this.#silence)} requests in a row`;
    this.lose(
      `the target stopped answering: no whole answer to ${times}, the last: ${printable(why ?? "")}`,
    );
  }
}
