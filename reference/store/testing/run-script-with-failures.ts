import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startReference } from "../../index.ts";
import { startReceiver } from "../../testing/rig.ts";
import { StateFileError } from "../state-file-error.ts";
import type { OpenStore } from "../store.ts";
import { failingStores, type DecideFate } from "./failing-store.ts";
import { contradictionsOf, createTold, endpoint, ScriptedDay, type Told } from "./scripted-day.ts";

export interface DayEnd {
  /** What the next server with the same file contradicts. */
  readonly contradictions: readonly unknown[];
  readonly told: Told;
  readonly writes: number;
  /** When the server said that its file could not be written. */
  readonly failed: "at its start" | "at its end" | undefined;
}

interface DayOptions {
  readonly decide: DecideFate;
  /** Called before each write with the path of the file and what was told by then. */
  readonly onWrite?: (path: string, told: Told) => void;
}

/** Runs a day whose writes have these fates, stops its server, and asks the next one, whose writes all succeed. */
export async function tryDay({ decide, onWrite }: DayOptions): Promise<DayEnd> {
  const directory = mkdtempSync(join(tmpdir(), "queueproof-day-"));
  const path = join(directory, "state.db");
  const told = createTold();
  let writes = 0;
  const openStore = failingStores((write) => {
    writes = write;
    onWrite?.(path, told);
    return decide(write);
  });
  try {
    const failed = await live(path, told, openStore);
    return { contradictions: await contradictionsAfter(path, told), told, writes, failed };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function live(path: string, told: Told, openStore: OpenStore): Promise<DayEnd["failed"]> {
  let failed: DayEnd["failed"];
  const starting = startReference({ stateFile: path, endpoints: [endpoint], openStore });
  const server = await starting.catch(passRefusal);
  if (server === undefined) return "at its start";
  const receiver = await startReceiver((_attempt, response) => response.writeHead(200).end());
  try {
    await new ScriptedDay(told, server, receiver).live();
  } finally {
    await server.stop().catch((error: unknown) => {
      passRefusal(error);
      failed = "at its end";
    });
    await receiver.stop();
  }
  return failed;
}

/** Ignores a StateFileError, the only error that a failing write may cause, and throws any other again. */
function passRefusal(error: unknown): undefined {
  if (!(error instanceof StateFileError)) throw error;
}

/** What a server that starts with this file contradicts. */
export async function contradictionsAfter(path: string, told: Told): Promise<readonly unknown[]> {
  const server = await startReference({ stateFile: path, endpoints: [endpoint] });
  const found = await contradictionsOf(told, server);
  await server.stop();
  return found;
}

/** Copies a state file as it would be left if its process were killed now. */
export function copyState(path: string, to: string): void {
  for (const end of ["", "-wal", "-journal"]) {
    if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${to}${end}`);
  }
}
