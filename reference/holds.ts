import type { OperationName } from "../openapi/operations.ts";

/** Answers that are held back, operation by operation (docs/control-protocol.md). */
export class Holds {
  readonly #waiting = new Map<OperationName, Set<() => void>>();

  set(operation: OperationName, isHeld: boolean): void {
    const waiting = this.#waiting.get(operation);
    if (isHeld) {
      if (waiting === undefined) this.#waiting.set(operation, new Set());
      return;
    }
    this.#waiting.delete(operation);
    for (const release of waiting ?? []) release();
  }

  isHeld(operation: OperationName): boolean {
    return this.#waiting.has(operation);
  }

  /** Settles when the hold ends; a client that breaks off is forgotten. */
  wait(operation: OperationName, onBrokenOff: (forget: () => void) => void): Promise<void> {
    const waiting = this.#waiting.get(operation);
    if (waiting === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      waiting.add(resolve);
      onBrokenOff(() => waiting.delete(resolve));
    });
  }

  releaseAll(): void {
    for (const operation of this.#waiting.keys()) this.set(operation, false);
  }
}
