import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startReference } from "../../reference/start-reference.ts";
import { startReceiver } from "../rig.ts";
import { StateFileError } from "../../reference/store/state-file-error.ts";
import type { OpenStore, Command, Query, Store, StoredValue } from "../../reference/store/store.ts";
import {
  contradictionsOf,
  createReportedState,
  endpoint,
  OperationScript,
  type ReportedState,
} from "./operation-script.ts";
import { SqliteStore } from "../../reference/store/sqlite-store.ts";

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

export interface ScriptResult {
  /** What the next server with the same file contradicts. */
  readonly contradictions: readonly unknown[];
  readonly reported: ReportedState;
  readonly writes: number;
  /** When the server said that its file could not be written. */
  readonly failed: "at its start" | "at its end" | undefined;
}

interface ScriptOptions {
  readonly decide: DecideWriteOutcome;
  /** Called before each write with the path of the file and what was reported by then. */
  readonly onWrite?: (path: string, reported: ReportedState) => void;
}

/** Runs the script with these outcomes of its writes, stops its server and asks the next, whose writes all succeed. */
export async function runScriptWithFailures({
  decide,
  onWrite,
}: ScriptOptions): Promise<ScriptResult> {
  const directory = mkdtempSync(join(tmpdir(), "queueproof-script-"));
  const path = join(directory, "state.db");
  const reported = createReportedState();
  let writes = 0;
  const openStore = failingStores((write) => {
    writes = write;
    onWrite?.(path, reported);
    return decide(write);
  });
  try {
    const failed = await runScript(path, reported, openStore);
    return { contradictions: await contradictionsAfter(path, reported), reported, writes, failed };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runScript(
  path: string,
  reported: ReportedState,
  openStore: OpenStore,
): Promise<ScriptResult["failed"]> {
  let failed: ScriptResult["failed"];
  const starting = startReference({ stateFile: path, endpoints: [endpoint], openStore });
  const server = await starting.catch(ignoreStateFileError);
  if (server === undefined) return "at its start";
  const receiver = await startReceiver((_attempt, response) => response.writeHead(200).end());
  try {
    await new OperationScript(reported, server, receiver).run();
  } finally {
    await server.stop().catch((error: unknown) => {
      ignoreStateFileError(error);
      failed = "at its end";
    });
    await receiver.stop();
  }
  return failed;
}

/** Ignores a StateFileError, the only error that a failing write may cause, and throws any other again. */
function ignoreStateFileError(error: unknown): undefined {
  if (!(error instanceof StateFileError)) throw error;
}

/** What a server that starts with this file contradicts. */
export async function contradictionsAfter(
  path: string,
  reported: ReportedState,
): Promise<readonly unknown[]> {
  const server = await startReference({ stateFile: path, endpoints: [endpoint] });
  const found = await contradictionsOf(reported, server);
  await server.stop();
  return found;
}

/** Copies a state file as it would be left if its process were killed now. */
export function copyState(path: string, to: string): void {
  for (const end of ["", "-wal", "-journal"]) {
    if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${to}${end}`);
  }
}

/** The ways in which writes go wrong, from the k-th write on. */
export const writeFailures: Readonly<Record<string, (k: number) => DecideWriteOutcome>> = {
  "one write fails": (k) => (write) => (write === k ? "fails" : "done"),
  "one write is done and reported as failed": (k) => (write) =>
    write === k ? "done-but-fails" : "done",
  "the disk is full for a while": (k) => (write) =>
    write >= k && write < k + 30 ? "fails" : "done",
  "the disk is full from then on": (k) => (write) => (write >= k ? "fails" : "done"),
};

/**
 * Runs the script and copies its state file before every `stride`-th write. Returns what servers with the copies
 * contradict.
 */
export async function contradictionsAfterKills(stride: number): Promise<readonly unknown[]> {
  const directory = mkdtempSync(join(tmpdir(), "queueproof-kills-"));
  const kills: { readonly at: string; readonly reported: ReportedState }[] = [];
  let writes = 0;
  const onWrite = (path: string, reported: ReportedState): void => {
    writes += 1;
    if (writes % stride !== 0) return;
    const at = join(directory, `${writes}.db`);
    copyState(path, at);
    kills.push({ at, reported: structuredClone(reported) });
  };
  try {
    await runScriptWithFailures({ decide: () => "done", onWrite });
    const found: unknown[] = [];
    for (const { at, reported } of kills) {
      const contradictions = await contradictionsAfter(at, reported);
      if (contradictions.length > 0) found.push({ at, contradictions });
    }
    return found;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Counts the writes of a script in which no write fails. */
export async function countWrites(): Promise<number> {
  return (await runScriptWithFailures({ decide: () => "done" })).writes;
}

/** Runs the script once for each k; returns what was reported in it and is not so after a restart. */
export async function contradictionsAfterFailures(
  failure: (k: number) => DecideWriteOutcome,
  writes: readonly number[],
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const k of writes) {
    const { contradictions } = await runScriptWithFailures({ decide: failure(k) });
    if (contradictions.length > 0) found.push({ k, contradictions });
  }
  return found;
}
