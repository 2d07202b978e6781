import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { signalGroup } from "./signal-group.ts";
import type { HookName } from "./hook-names.ts";

/** What a hook did. */
export interface HookRun {
  readonly name: HookName;
  readonly durationMs: number;
  /** The beginning of what it printed. */
  readonly output: string;
  /** Why it did not do its work; absent where it ended with exit code 0. */
  readonly failed?: string;
}

/** A hook that takes longer is ended. */
const hookMsMax = 60_000;
const killMs = 2_000;
const outputMax = 2_000;

/**
 * Runs a command of the owner by the shell and waits for its end. What it leaves running, such as the server that it
 * started, goes on; where its time is over, its whole process group is ended.
 */
export async function runHook(
  name: HookName,
  command: string,
  { limitMs = hookMsMax }: { readonly limitMs?: number } = {},
): Promise<HookRun> {
  const folder = await mkdtemp(join(tmpdir(), "queueproof-hook-"));
  const file = join(folder, "output");
  // A file and no pipe: a server that it starts goes on printing to it when we no longer read.
  const output = await open(file, "w", 0o600);
  const startedMs = performance.now();
  try {
    const child = spawn("/bin/sh", ["-c", command], {
      detached: true,
      stdio: ["ignore", output.fd, output.fd],
    });
    const ended = endOf(child);
    let isLate = false;
    const stop = setTimeout(() => {
      isLate = true;
      const { pid } = child;
      if (pid === undefined) return;
      signalGroup(pid, "SIGTERM");
      setTimeout(() => signalGroup(pid, "SIGKILL"), killMs).unref();
    }, limitMs);
    const { exitCode, signal } = await ended.finally(() => clearTimeout(stop));
    const printed = (await readFile(file, "utf8")).trim().slice(0, outputMax);
    const durationMs = Math.round(performance.now() - startedMs);
    const run = { name, durationMs, output: printed };
    if (isLate)
      return { ...run, failed: `it had not ended after ${limitMs / 1_000} s, and was stopped` };
    if (exitCode === 0) return run;
    return {
      ...run,
      failed:
        exitCode === null ? `${signal ?? "a signal"} ended it` : `its exit code was ${exitCode}`,
    };
  } finally {
    await output.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface HookEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function endOf(child: ChildProcess): Promise<HookEnd> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
}
