import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { parseReport } from "../../reports/index.ts";
import type { Report } from "../../reports/index.ts";

/** A server that is checked for the matrix of targets. */
export interface MatrixTarget {
  readonly name: string;
  /** What it is, in one sentence. */
  readonly about: string;
  /** Why it cannot be checked here; empty where it can. */
  readonly missing: string;
  /** Checks it and answers with the reports, the most telling last. */
  readonly check: () => Promise<readonly Report[]>;
}

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs the built command line and reads the report it wrote. Its exit code is the report's to tell. */
export async function reportOf(name: string, words: readonly string[]): Promise<Report> {
  const directory = join(root, "reports", "targets", name);
  const main = join(root, "dist", "cli", "main.js");
  const child = spawn(process.execPath, [main, ...words, "--report", directory], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "close");
  return readReport(join(directory, "report.json"));
}

export async function readReport(path: string): Promise<Report> {
  return parseReport(await readFile(path, "utf8"), path);
}

/** A program that serves until it is stopped, waited for until it answers. */
export async function served(
  command: readonly [string, ...string[]],
  url: string,
): Promise<{ readonly stop: () => Promise<void> }> {
  const [program, ...words] = command;
  const child = spawn(program, words, { cwd: root, stdio: "ignore" });
  const ended = once(child, "close");
  const deadlineMs = performance.now() + comesWithinMs;
  for (;;) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) break;
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      throw new Error(`${program} does not serve ${url}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

const comesWithinMs = 60_000;
