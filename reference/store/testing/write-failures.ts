import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { DecideFate } from "./failing-store.ts";
import type { Told } from "./scripted-day.ts";
import { contradictionsAfter, copyState, tryDay } from "./try-day.ts";

/** The ways in which writes go wrong, from the k-th write on. */
export const mishaps: Readonly<Record<string, (k: number) => DecideFate>> = {
  "one write fails": (k) => (write) => (write === k ? "fails" : "done"),
  "one write is done and told as failed": (k) => (write) =>
    write === k ? "done-but-fails" : "done",
  "the disk is full for a while": (k) => (write) =>
    write >= k && write < k + 30 ? "fails" : "done",
  "the disk is full from then on": (k) => (write) => (write >= k ? "fails" : "done"),
};

/** Runs the day and copies its file before every `stride`-th write. Returns what servers with the copies contradict. */
export async function contradictionsOfKills(stride: number): Promise<readonly unknown[]> {
  const directory = mkdtempSync(join(tmpdir(), "queueproof-kills-"));
  const kills: { readonly at: string; readonly told: Told }[] = [];
  let writes = 0;
  const onWrite = (path: string, told: Told): void => {
    writes += 1;
    if (writes % stride !== 0) return;
    const at = join(directory, `${writes}.db`);
    copyState(path, at);
    kills.push({ at, told: structuredClone(told) });
  };
  try {
    await tryDay({ decide: () => "done", onWrite });
    const found: unknown[] = [];
    for (const { at, told } of kills) {
      const contradictions = await contradictionsAfter(at, told);
      if (contradictions.length > 0) found.push({ at, contradictions });
    }
    return found;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Counts the writes of a day on which nothing goes wrong. */
export async function countWrites(): Promise<number> {
  return (await tryDay({ decide: () => "done" })).writes;
}

/** Runs the day once for each k; returns what was told on it and is not so after a restart. */
export async function contradictionsOfDays(
  mishap: (k: number) => DecideFate,
  writes: readonly number[],
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const k of writes) {
    const { contradictions } = await tryDay({ decide: mishap(k) });
    if (contradictions.length > 0) found.push({ k, contradictions });
  }
  return found;
}
