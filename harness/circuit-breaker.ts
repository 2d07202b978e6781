import type { Exchange, ExchangeFailure } from "../client/exchange.ts";
import type { OperationName } from "../openapi/operations.ts";

/** After so many time-outs in a row an operation is not called again: a single one may be a lost packet. */
const timeoutsMax = 5;
/** After so many times an operation that keeps the target from answering anything is not called again. */
const blockingsMax = 2;
/** An answer within this time, in milliseconds, shows that its operation does not always block. */
const quickMs = 1000;

/** The id of the cause that an operation gives no answer. */
export function silentCause(operation: OperationName): string {
  return `silent-${operation}`;
}

/** An attempt at an operation, as far as it tells whether another one is worth while. */
type NotedAttempt = Pick<Exchange, "answer" | "failure" | "sentAtMs" | "answeredAtMs">;

/**
 * Rejects requests that would get no answer: every request once it is tripped, and requests of an operation that has
 * timed out too often in a row. A run then lasts a few time-outs and not one for each check.
 */
export class CircuitBreaker {
  readonly #listeners = new Set<(reason: string) => void>();
  readonly #timeouts = new Map<OperationName, number>();
  readonly #blockings = new Map<OperationName, number>();
  readonly #quick = new Map<OperationName, number>();
  readonly #answered = new Set<OperationName>();
  #reason: string | undefined;

  /** The failure of every further request once it is tripped; `undefined` before. */
  get failure(): ExchangeFailure | undefined {
    return this.#reason === undefined ? undefined : { kind: "aborted", message: this.#reason };
  }

  /** The failure of a further request of an operation: the breaker is tripped, or the operation never answers. */
  failureOf(operation: OperationName): ExchangeFailure | undefined {
    if (this.failure !== undefined) return this.failure;
    if (this.isBlocking(operation)) {
      const message = `${operation} kept the target from answering anything, and is not asked again`;
      return { kind: "lacking", message };
    }
    const message = this.silenceOf(operation);
    if (message === undefined) return undefined;
    return { kind: "lacking", message, cause: silentCause(operation) };
  }

  /** Says of an operation that it timed out too often in a row to be called again; undefined of any other. */
  silenceOf(operation: OperationName): string | undefined {
    const timeouts = this.#timeouts.get(operation) ?? 0;
    if (timeouts < timeoutsMax) return undefined;
    return `${operation} gave no answer ${timeoutsMax} times in a row`;
  }

  hasAnswered(operation: OperationName): boolean {
    return this.#answered.has(operation);
  }

  /** Has to be called with every attempt at an operation. Only time-outs count: what fails at once costs no time. */
  note(operation: OperationName, { answer, failure, sentAtMs, answeredAtMs }: NotedAttempt): void {
    if (answer !== undefined) {
      this.#timeouts.delete(operation);
      this.#answered.add(operation);
      if (answeredAtMs - sentAtMs < quickMs) add(this.#quick, operation);
    }
    if (failure?.kind !== "timeout") return;
    add(this.#timeouts, operation);
  }

  /** Has to be called where the target answered nothing while an operation was under way, and then came back. */
  noteBlocking(operation: OperationName): void {
    add(this.#blockings, operation);
  }

  /** Whether an operation mostly keeps the target from answering anything, so that it is not called again. */
  isBlocking(operation: OperationName): boolean {
    const blockings = this.#blockings.get(operation) ?? 0;
    return blockings >= blockingsMax && blockings > (this.#quick.get(operation) ?? 0);
  }

  /** Ends all requests of the run. Only the first call has an effect. */
  trip(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener(reason);
  }

  /** Calls the listener when the breaker trips, or at once if it has. Returns a function that removes the listener. */
  onTrip(listener: (reason: string) => void): () => void {
    if (this.#reason !== undefined) listener(this.#reason);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}

function add(counts: Map<OperationName, number>, operation: OperationName): void {
  counts.set(operation, (counts.get(operation) ?? 0) + 1);
}
