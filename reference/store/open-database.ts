import { chmodSync, closeSync, openSync, readSync, statSync } from "node:fs";

import type Libsql from "libsql";

import { damagedError, messageOf, StateFileError } from "./state-file-error.ts";

/** "qpst": tells our files from those of other programs (SQLite's application_id). */
const APPLICATION_ID = 0x71707374;
/** Raised with every change of the tables that older programs cannot read. */
const FORMAT_VERSION = 1;

const tables = `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE endpoints (id TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT;
  CREATE TABLE jobs (
    endpoint TEXT NOT NULL, id TEXT NOT NULL,
    submission TEXT NOT NULL, facts TEXT NOT NULL, result TEXT,
    PRIMARY KEY (endpoint, id)
  ) STRICT;
  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY, endpoint TEXT NOT NULL, job TEXT NOT NULL, facts TEXT NOT NULL
  ) STRICT;`;

/**
 * Opens or makes a state file and locks it for this process. An existing file is not changed before its log begins, so
 * that a file whose rows turn out to be damaged can still be left as it is.
 * @throws StateFileError when the file is not one of ours, damaged, of a newer format, or in use
 */
export async function openDatabase(path: string): Promise<Libsql.Database> {
  refuseNoFile(path);
  const isNew = makeIfMissing(path);
  if (!isNew) refuseForeign(path);
  const Database = await loadLibrary();
  let database: Libsql.Database | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    database.pragma("locking_mode = EXCLUSIVE");
    database.exec("BEGIN IMMEDIATE");
    // This comes before the write-ahead log, so that the head of the file itself tells whose it is.
    if (isNew) {
      database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      database.exec(`PRAGMA user_version = ${FORMAT_VERSION}`);
      database.exec(tables);
    }
    database.exec("COMMIT");
    refuseDamaged(database, path);
    makePrivate(path);
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof StateFileError ? error : openingError(error, path);
  }
}

/** Refuses what the library takes for something else than a file: a database in memory, or an address. */
function refuseNoFile(path: string): void {
  if (!/^(?:[a-z]{2,}:|:)/i.test(path)) return;
  throw new StateFileError(
    `${path} names no file, so that nothing would be kept`,
    "Give --state the path of a file, such as ./state.db.",
  );
}

/** Takes a file that is there already from others on this machine: it holds keys and secrets. */
function makePrivate(path: string): void {
  const { mode } = statSync(path);
  if ((mode & 0o077) !== 0) chmodSync(path, 0o600);
}

/** Makes a missing file, readable only by its owner since it holds keys and secrets. True where the file is empty. */
function makeIfMissing(path: string): boolean {
  try {
    closeSync(openSync(path, "a", 0o600));
    return statSync(path).size === 0;
  } catch (error) {
    throw new StateFileError(
      `the state file ${path} cannot be opened: ${messageOf(error)}`,
      "Give --state the path of a file in a directory that is there and can be written.",
      error,
    );
  }
}

/** Reads the head of the file without SQLite, which would already change some of it. */
function refuseForeign(path: string): void {
  const head = Buffer.alloc(100);
  const file = openSync(path, "r");
  const bytes = readSync(file, head, 0, head.length, 0);
  closeSync(file);
  const isDatabase = bytes === head.length && head.toString("latin1", 0, 15) === "SQLite format 3";
  if (!isDatabase || head.readUInt32BE(68) !== APPLICATION_ID) {
    throw new StateFileError(
      `${path} is not a state file of queueproof; it was left as it is`,
      "Give --state another path; a file that does not exist yet is made.",
    );
  }
  const version = head.readUInt32BE(60);
  if (version !== FORMAT_VERSION) {
    throw new StateFileError(
      `${path} is a state file of format ${version}; this version of queueproof reads format ${FORMAT_VERSION}`,
      "Use the version of queueproof that wrote it, or give --state another path.",
    );
  }
}

/** Asks only whether the check passed: its messages may quote bytes that are not text. */
const checkOfFile = "SELECT quick_check = 'ok' AS is_ok FROM pragma_quick_check(1)";

function refuseDamaged(database: Libsql.Database, path: string): void {
  const found = JSON.stringify(database.prepare(checkOfFile).all());
  if (!found.includes('"is_ok":1'))
    throw damagedError(path, new Error("its pages do not fit together"));
}

function openingError(error: unknown, path: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "SQLITE_BUSY") {
    return new StateFileError(
      `the state file ${path} is in use by another process`,
      "Stop the other server that was started with it, or give --state another path.",
      error,
    );
  }
  return damagedError(path, error);
}

async function loadLibrary(): Promise<typeof Libsql> {
  try {
    return (await import("libsql")).default;
  } catch (error) {
    throw new StateFileError(
      "--state needs the package libsql with its binary for this system, and it could not be loaded",
      "Run `npm ci` on a system libsql has a binary for (Linux, macOS, Windows), without --omit=optional.",
      error,
    );
  }
}
