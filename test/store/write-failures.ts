import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { DecideWriteOutcome } from "./failing-store.ts";
import type { ReportedState } from "./operation-script.ts";
import {
  contradictionsAfter,
  copyState,
  runScriptWithFailures,
} from "./run-script-with-failures.ts";

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
