/** The queries of a state file. They read bytes, since the library ends the process over a text that is not UTF-8. */
export const queries = {
  fact: `SELECT ${bytesOf("value")} FROM facts WHERE name = ?`,
  endpoints: `SELECT ${bytesOf("id", "facts")} FROM endpoints ORDER BY rowid`,
  jobIds: `SELECT ${bytesOf("id")} FROM jobs WHERE endpoint = ? ORDER BY rowid`,
  job: `SELECT ${bytesOf("endpoint", "id", "submission", "facts", "result")} FROM jobs WHERE endpoint = ? AND id = ?`,
  deliveryIds: `SELECT ${bytesOf("id")} FROM deliveries WHERE endpoint = ? ORDER BY rowid`,
  delivery: `SELECT ${bytesOf("id", "endpoint", "job", "facts")} FROM deliveries WHERE id = ?`,
} as const;

function bytesOf(...columns: readonly string[]): string {
  return columns.map((name) => `CAST(${name} AS BLOB) AS ${name}`).join(", ");
}

/** The commands that change a state file, and the begin and end of a transaction. */
export const commands = {
  begin: "BEGIN",
  commit: "COMMIT",
  rollBack: "ROLLBACK",
  setFact: "INSERT OR REPLACE INTO facts VALUES (?, ?)",
  putEndpoint:
    "INSERT INTO endpoints VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET facts = excluded.facts",
  dropDeliveriesOf: "DELETE FROM deliveries WHERE endpoint = ?",
  dropJobsOf: "DELETE FROM jobs WHERE endpoint = ?",
  dropEndpoint: "DELETE FROM endpoints WHERE id = ?",
  // A commit that was reported as failed may have been done all the same, so a row may exist.
  addJob: "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?)",
  setJob: "UPDATE jobs SET facts = ? WHERE endpoint = ? AND id = ?",
  setResult: "UPDATE jobs SET facts = ?, result = ? WHERE endpoint = ? AND id = ?",
  dropJob: "DELETE FROM jobs WHERE endpoint = ? AND id = ?",
  putDelivery:
    "INSERT INTO deliveries VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET facts = excluded.facts",
  dropDelivery: "DELETE FROM deliveries WHERE id = ?",
} as const;

export type Query = keyof typeof queries;
export type Command = keyof typeof commands;
export type StoredValue = string | null;

/** The database of a state file. Every change goes through `run` or `beginLog`, so that a test can let it fail. */
export interface Store {
  all(query: Query, ...values: readonly string[]): readonly unknown[];
  run(command: Command, ...values: readonly StoredValue[]): void;
  /** Whether a transaction is under way; an error may have ended it. */
  readonly isInTransaction: boolean;
  /** Begins the log. An existing file is not changed before that. */
  beginLog(): void;
  /** Leaves one whole file without a log and gives up its lock, as far as that is possible. */
  close(): void;
}

/** @throws StateFileError when the file cannot be used; it is unchanged then */
export type OpenStore = (path: string) => Promise<Store>;
