import { SqliteStore } from "../../reference/store/sqlite-store.ts";
import type { Command, OpenStore, Query, Store, StoredValue } from "../../reference/store/store.ts";

/** What becomes of a write: it is done, it fails and leaves nothing, or it is done and reported as failed. */
export type WriteOutcome = "done" | "fails" | "done-but-fails";

/** Decides on each write, counted from 1. */
export type DecideWriteOutcome = (write: number) => WriteOutcome;

/** Opens stores whose writes fail where `decide` says so. As with a full disk, an error also ends the transaction. */
export function failingStores(decide: DecideWriteOutcome): OpenStore {
  return async (path) => new FailingStore(await SqliteStore.open(path), decide);
}

class FailingStore implements Store {
  readonly #store: Store;
  readonly #decide: DecideWriteOutcome;
  #writes = 0;

  constructor(store: Store, decide: DecideWriteOutcome) {
    this.#store = store;
    this.#decide = decide;
  }

  get isInTransaction(): boolean {
    return this.#store.isInTransaction;
  }

  all(query: Query, ...values: readonly string[]): readonly unknown[] {
    return this.#store.all(query, ...values);
  }

  run(command: Command, ...values: readonly StoredValue[]): void {
    this.#write(() => this.#store.run(command, ...values));
  }

  beginLog(): void {
    this.#write(() => this.#store.beginLog());
  }

  close(): void {
    this.#store.close();
  }

  #write(write: () => void): void {
    this.#writes += 1;
    const outcome = this.#decide(this.#writes);
    if (outcome !== "fails") write();
    if (outcome === "done") return;
    if (this.#store.isInTransaction) this.#store.run("rollBack");
    throw new Error("database or disk is full");
  }
}
