import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parseReport } from "../../reports/parse-report.ts";
import type { Report } from "../../reports/model.ts";
import { main, root } from "../../test/project.ts";

/** A server that is checked for the matrix of targets. */
export interface MatrixTarget {
  readonly name: string;
  /** What it is, in one sentence. */
  readonly about: string;
  /** Why it cannot be checked here; empty where it can. */
  readonly missing: string;
  /** The folders of its reports below reports/, the most telling last. */
  readonly reports: readonly string[];
  /** Checks it and leaves the reports there. */
  readonly check: () => Promise<void>;
}

/** The runs of real-worker-suite.ts, in their order. */
export const realWorkerReports = [
  "real-worker/without-crashes",
  "real-worker/crashes",
  "real-worker/again",
  "real-worker/as-specified",
] as const;

/** Runs the built command line with a report below reports/. The exit code is ignored, since the report tells it. */
export async function report(folder: string, words: readonly string[]): Promise<void> {
  await runNode([main, ...words, "--report", join(root, "reports", folder)]);
}

/** Runs Node with these words until it has ended; its exit code and its standard output are ignored. */
export async function runNode(words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, words, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "close");
}

/** The reports that the last check of a target left, now or earlier. */
export async function reportsOf({ reports }: MatrixTarget): Promise<readonly Report[]> {
  return reportsIn(reports);
}

/** The reports that exist in these folders below reports/, in this order. */
export async function reportsIn(folders: readonly string[]): Promise<readonly Report[]> {
  const read = folders.map(async (folder) => {
    const path = join(root, "reports", folder, "report.json");
    const text = await readFile(path, "utf8").catch(() => undefined);
    return text === undefined ? undefined : parseReport(text, path);
  });
  return (await Promise.all(read)).filter((one) => one !== undefined);
}
