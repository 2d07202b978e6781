import { statSync } from "node:fs";

import type Libsql from "libsql";

import { openDatabase } from "./open-database.ts";
import { damagedError } from "./state-file-error.ts";
import {
  commands,
  queries,
  type Command,
  type Query,
  type Store,
  type StoredValue,
} from "./store.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws TypeError where a text is not UTF-8 */
function textsOf(row: unknown): unknown {
  const columns = Object.entries(typeof row === "object" && row !== null ? row : {});
  return Object.fromEntries(
    columns.map(([name, value]: [string, unknown]) => [
      name,
      value instanceof ArrayBuffer ? utf8.decode(value) : value,
    ]),
  );
}

/** @throws Error where no file of this name is there */
function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true }).ino;
}

/** A state file in SQLite, with its statements compiled once. */
export class SqliteStore implements Store {
  readonly #database: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();

  readonly #path: string;
  /** Which file it is, whatever its name leads to later. */
  readonly #inode: bigint;

  private constructor(database: Libsql.Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#inode = inodeOf(path);
    for (const [name, text] of Object.entries({ ...queries, ...commands })) {
      this.#statements.set(name, database.prepare(text));
    }
  }

  /** @throws StateFileError when the file cannot be used; it is unchanged then */
  static async open(path: string): Promise<SqliteStore> {
    const database = await openDatabase(path);
    try {
      return new SqliteStore(database, path);
    } catch (error) {
      database.close();
      throw damagedError(path, error);
    }
  }

  get isInTransaction(): boolean {
    return this.#database.inTransaction;
  }

  all(query: Query, ...values: readonly string[]): readonly unknown[] {
    return this.#statement(query)
      .all(...values)
      .map(textsOf);
  }

  run(command: Command, ...values: readonly StoredValue[]): void {
    // What is written to a file that has no name any more is lost, though SQLite does not mind.
    if (command === "begin" && inodeOf(this.#path) !== this.#inode)
      throw new Error("it was replaced by another file");
    this.#statement(command).run(...values);
  }

  /** Commits survive the end of the process; a power cut may take the last ones (WAL, synchronous = NORMAL). */
  beginLog(): void {
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma("synchronous = NORMAL");
  }

  /** Gives up the lock by hand, since the library itself waits for the garbage collector. */
  close(): void {
    try {
      this.#database.pragma("journal_mode = DELETE");
      this.#database.pragma("locking_mode = NORMAL");
      this.all("fact", "");
    } finally {
      this.#database.close();
    }
  }

  #statement(name: Query | Command): Libsql.Statement {
    const statement = this.#statements.get(name);
    if (statement === undefined) throw new Error(`there is no statement ${name}`);
    return statement;
  }
}
