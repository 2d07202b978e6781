import { SqliteStore } from "../../reference/store/sqlite-store.ts";
import type { Command, OpenStore, Query, Store, StoredValue } from "../../reference/store/store.ts";

/** A bug of a server's store, or of how it takes up again what its store holds. */
export interface StoreFault {
  readonly name: string;
  /** The sentences that it breaks (load/faults). */
  readonly breaks: readonly string[];
  /** Whether a command is not carried out. */
  readonly ignores?: (command: Command, values: readonly StoredValue[]) => boolean;
  /** The rows in place of those in the file. */
  readonly reads?: (query: Query, rows: readonly unknown[]) => readonly unknown[];
  /** Writes are carried out so much later than they are told to be, in ms. */
  readonly lateMs?: number;
}

type Facts = Readonly<Record<string, unknown>>;

/** Changes rows of a query by their facts; undefined leaves a row as it is. */
function changed(
  of: Query,
  change: (facts: Facts, row: object) => object | undefined,
): NonNullable<StoreFault["reads"]> {
  return (query, rows) => {
    if (query !== of) return rows;
    return rows.map((row) => {
      if (typeof row !== "object" || row === null || !("facts" in row)) return row;
      const changes = change(factsIn(row.facts), row);
      return changes === undefined ? row : { ...row, ...changes };
    });
  };
}

function factsIn(value: unknown): Facts {
  const parsed: unknown = JSON.parse(textOf(value));
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
}

/** Values of a file come as bytes. */
function textOf(value: unknown): string {
  return value instanceof ArrayBuffer ? Buffer.from(value).toString("utf8") : String(value);
}

function asFacts(facts: Facts): object {
  return { facts: JSON.stringify(facts) };
}

/** What a timer gains that begins anew at the start of the server. */
const ttlLaterMs = 15_000;
const keptLaterMs = 8_000;

function later(facts: Facts, name: string, ms: number): object | undefined {
  const atMs = facts[name];
  return typeof atMs === "number" ? asFacts({ ...facts, [name]: atMs + ms }) : undefined;
}

/** Bugs of stores as people write them, each with what it breaks when the server is killed under load. */
export const storeFaults: readonly StoreFault[] = [
  { name: "answers-before-it-writes", breaks: ["there-and-ended"], lateMs: 1_500 },
  {
    name: "forgets-some-jobs",
    breaks: ["there-and-ended"],
    reads: (query, rows) => (query === "jobIds" ? rows.filter((_, at) => at % 10 !== 9) : rows),
  },
  {
    name: "keeps-no-ends",
    breaks: ["processed-once"],
    ignores: (command) => command === "setResult",
  },
  {
    name: "gives-out-what-had-completed",
    breaks: ["processed-once"],
    reads: changed("job", (facts) =>
      facts["status"] === "COMPLETED"
        ? {
            ...asFacts({ ...facts, status: "IN_QUEUE", retentionEndsAtMs: undefined }),
            result: null,
          }
        : undefined,
    ),
  },
  {
    name: "keeps-what-was-purged-or-expired",
    breaks: ["ended-stays-ended"],
    ignores: (command) => command === "dropJob",
  },
  {
    name: "forgets-cancels",
    breaks: ["ended-stays-ended"],
    reads: changed("job", (facts) =>
      facts["status"] === "CANCELLED"
        ? {
            ...asFacts({ ...facts, status: "IN_QUEUE", retentionEndsAtMs: undefined }),
            result: null,
          }
        : undefined,
    ),
  },
  {
    name: "loses-outputs",
    breaks: ["results-same"],
    reads: changed("job", (facts) =>
      facts["status"] === "COMPLETED" ? { result: JSON.stringify({ chunks: [] }) } : undefined,
    ),
  },
  {
    name: "fails-what-had-completed",
    breaks: ["results-same"],
    reads: changed("job", (facts) =>
      facts["status"] === "COMPLETED"
        ? { ...asFacts({ ...facts, status: "FAILED" }), result: JSON.stringify({ chunks: [] }) }
        : undefined,
    ),
  },
  {
    name: "begins-ttl-anew",
    breaks: ["timers-go-on"],
    reads: changed("job", (facts) => later(facts, "ttlEndsAtMs", ttlLaterMs)),
  },
  {
    name: "begins-retention-anew",
    breaks: ["retention-goes-on"],
    reads: changed("job", (facts) =>
      facts["submittedBy"] === "runsync"
        ? later(facts, "retentionEndsAtMs", keptLaterMs)
        : undefined,
    ),
  },
  {
    name: "forgets-policies",
    breaks: ["timers-go-on"],
    reads: changed("job", (_, row) =>
      "submission" in row
        ? { submission: JSON.stringify({ ...factsIn(row.submission), policy: {} }) }
        : undefined,
    ),
  },
  {
    name: "forgets-webhooks",
    breaks: ["webhooks"],
    reads: (query, rows) => (query === "deliveryIds" ? [] : rows),
  },
  {
    name: "calls-webhooks-again",
    breaks: ["webhooks"],
    ignores: (command) => command === "dropDelivery",
  },
  {
    name: "counts-from-zero",
    breaks: ["counts"],
    reads: changed("endpoints", (facts) =>
      asFacts({ ...facts, counts: { completed: 0, failed: 0, retried: 0 } }),
    ),
  },
];

/** How a state file is opened by a server with this bug; without one, as usual. */
export function openStoreWith(fault: StoreFault | undefined): OpenStore {
  return async (path) => {
    const store = await SqliteStore.open(path);
    return fault === undefined ? store : new FaultyStore(store, fault);
  };
}

class FaultyStore implements Store {
  readonly #store: Store;
  readonly #fault: StoreFault;
  #isInTransaction = false;

  constructor(store: Store, fault: StoreFault) {
    this.#store = store;
    this.#fault = fault;
  }

  get isInTransaction(): boolean {
    return this.#fault.lateMs === undefined ? this.#store.isInTransaction : this.#isInTransaction;
  }

  all(query: Query, ...values: readonly string[]): readonly unknown[] {
    const rows = this.#store.all(query, ...values);
    return this.#fault.reads?.(query, rows) ?? rows;
  }

  run(command: Command, ...values: readonly StoredValue[]): void {
    if (this.#fault.ignores?.(command, values) === true) return;
    const { lateMs } = this.#fault;
    if (lateMs === undefined) {
      this.#store.run(command, ...values);
      return;
    }
    this.#isInTransaction = command === "begin" || (this.#isInTransaction && command !== "commit");
    setTimeout(() => this.#store.run(command, ...values), lateMs);
  }

  beginLog(): void {
    this.#store.beginLog();
  }

  close(): void {
    this.#store.close();
  }
}
