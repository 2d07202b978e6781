import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startReference } from "../../reference/start-reference.ts";
import { startReceiver } from "../rig.ts";
import { StateFileError } from "../../reference/store/state-file-error.ts";
import type { OpenStore } from "../../reference/store/store.ts";
import { failingStores, type DecideWriteOutcome } from "./failing-store.ts";
import {
  contradictionsOf,
  createReportedState,
  endpoint,
  OperationScript,
  type ReportedState,
} from "./operation-script.ts";

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
