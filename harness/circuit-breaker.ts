import type { Exchange, ExchangeFailure } from "../client/index.ts";
import type { OperationName } from "../openapi/index.ts";

/** The number of time-outs in a row that trips the breaker: a single one may be a lost packet. */
const timeoutsMax = 5;

/**
 * Keeps a run from asking in vain: once it is tripped nothing is asked any more, and an operation that never answers
 * is not asked again, so that a run lasts a few time-outs and not one for each check.
 */
export class CircuitBreaker {
  readonly #listeners = new Set<(reason: string) => void>();
  readonly #timeouts = new Map<OperationName, number>();
  readonly #answered = new Set<OperationName>();
  #reason: string | undefined;

  /** What becomes of every request where the run is over; `undefined` while it goes on. */
  get failure(): ExchangeFailure | undefined {
    return this.#reason === undefined ? undefined : { kind: "aborted", message: this.#reason };
  }

  /** What becomes of a request that is of no use: the run is over, or the operation never answers. */
  failureOf(operation: OperationName): ExchangeFailure | undefined {
    if (this.failure !== undefined) return this.failure;
    const timeouts = this.#timeouts.get(operation) ?? 0;
    if (timeouts < timeoutsMax) return undefined;
    const times = `${String(timeouts)} times in a row`;
    const message = `${operation} gave no answer ${times} and is not asked again`;
    return { kind: "unanswered", message };
  }

  /** Whether the operation has answered anything in this run. */
  hasAnswered(operation: OperationName): boolean {
    return this.#answered.has(operation);
  }

  /** Has to be called with every try of an operation. Only waiting in vain counts: what fails at once costs nothing. */
  note(operation: OperationName, { answer, failure }: Pick<Exchange, "answer" | "failure">): void {
    if (answer !== undefined) {
      this.#timeouts.delete(operation);
      this.#answered.add(operation);
    }
    if (failure?.kind !== "timeout") return;
    this.#timeouts.set(operation, (this.#timeouts.get(operation) ?? 0) + 1);
  }

  /** Ends all requests of the run. */
  trip(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener(reason);
  }

  /** Calls the listener when it trips, at once where it has. Returns how to stop listening. */
  onTrip(listener: (reason: string) => void): () => void {
    if (this.#reason !== undefined) listener(this.#reason);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
