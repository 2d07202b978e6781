import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

import { CommandError } from "./errors.ts";

const fileName = ".queueproof-run";

/** Holds a report folder for one run. */
export interface ReportLock {
  /** Gives the folder free. */
  readonly release: () => void;
}

/**
 * Takes a report folder for this process, until it is released or the process ends. A lock that an ended process of this
 * machine has left behind counts for nothing.
 * @throws CommandError REPORT_DIRECTORY where another run is writing its report there
 */
export function lockReportFolder(directory: string): ReportLock {
  const file = join(directory, fileName);
  const own = `${process.pid} ${hostname()}`;
  if (!tryToTake(file, own)) {
    const holder = holderOf(file);
    if (holder !== undefined && isRunning(holder)) throw takenError(directory, holder);
    rmSync(file, { force: true });
    if (!tryToTake(file, own)) throw takenError(directory, holderOf(file) ?? "");
  }
  const release = (): void => {
    process.off("exit", release);
    if (holderOf(file) === own) rmSync(file, { force: true });
  };
  process.once("exit", release);
  return { release };
}

/** Makes the file, unless it is there. */
function tryToTake(file: string, own: string): boolean {
  try {
    writeFileSync(file, own, { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Whether a holder may still run. That of another machine may; this process itself runs one after the other. */
function isRunning(holder: string): boolean {
  const [pid = "", host] = holder.split(" ");
  if (host !== hostname()) return true;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be asked.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function takenError(directory: string, holder: string): CommandError {
  const [pid, host] = holder.split(" ");
  const who = pid === undefined || pid === "" ? "another run" : `process ${pid} on ${String(host)}`;
  return new CommandError(
    "REPORT_DIRECTORY",
    `${directory} holds the report of a run that has not ended: ${who}`,
    {
      hint: `Wait for it, or give another folder with --report DIR; where nothing runs, delete ${join(directory, fileName)}.`,
    },
  );
}
