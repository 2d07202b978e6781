import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { seededRandom } from "../../harness/random.ts";
import { main } from "../../test/project.ts";
import { running } from "../../test/running-server.ts";

/** One run that was stopped, and what was wrong with how it ended. */
export interface StoppedRun {
  readonly words: readonly string[];
  readonly signal: NodeJS.Signals;
  /** The moment of the signal, in milliseconds after the program could hear it. */
  readonly atMs: number;
  readonly endedAfterMs: number;
  /** Empty where it ended as it should, sooner or later. */
  readonly problems: readonly string[];
}

export interface StopOptions {
  readonly runs: number;
  readonly seed: number;
  readonly onRun?: (run: StoppedRun) => void;
}

/** A run that was stopped ends within this, in milliseconds. */
export const endingMsMax = 2000;
/** The signals fall into this time; a run that has ended before its signal is made again. */
const momentMsMax = 6000;
/** Tells the parent when the program listens for signals. */
const preload = `process.channel?.unref(); process.once("newListener", () => setImmediate(() => process.send?.("listening")))`;

/**
 * Stops runs at random moments: against the embedded reference, against a server that answers nothing but health, and
 * in the middle of load. Each has to end within 2 s with 130 and a report that says so, and leave nothing running.
 */
export async function stopRuns({ runs, seed, onRun }: StopOptions): Promise<readonly StoppedRun[]> {
  const random = seededRandom(seed, "stop-runs");
  const hanging = await running(
    createServer((request, response) => {
      if (request.url?.endsWith("/health") === true) response.end("{}");
    }),
  );
  const stopped: StoppedRun[] = [];
  const commands: readonly (readonly string[])[] = [
    ["contract", "--reference"],
    ["contract", "--base-url", hanging.baseUrl, "--endpoint", "e", "--api-key", "hanging-key"],
    ["load", "--reference", "--only", "RATE-06", "--only", "CONC-02"],
  ];
  try {
    while (stopped.length < runs) {
      const words = commands[stopped.length % commands.length] ?? [];
      const signal = random() < 0.5 ? "SIGINT" : "SIGTERM";
      const run = await stopOne(words, signal, Math.floor(random() * momentMsMax));
      if (run === undefined) continue;
      stopped.push(run);
      onRun?.(run);
    }
  } finally {
    await hanging.stop();
  }
  return stopped;
}

/** One run; `undefined` where it had ended before the signal came. */
async function stopOne(
  words: readonly string[],
  signal: NodeJS.Signals,
  atMs: number,
): Promise<StoppedRun | undefined> {
  const directory = await mkdtemp(join(tmpdir(), "queueproof-stop-"));
  const child = spawn(process.execPath, [main, ...words], {
    cwd: directory,
    // A process group of its own, so that what it leaves behind can be found.
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: {
      ...process.env,
      K6_PATH: "/nonexistent",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    },
  });
  try {
    await once(child, "message");
    const exit = once(child, "exit");
    await Promise.race([sleep(atMs), exit]);
    if (child.exitCode !== null) return undefined;
    const begunMs = performance.now();
    child.kill(signal);
    await Promise.race([exit, sleep(5 * endingMsMax, undefined, { ref: false })]);
    const endedAfterMs = Math.round(performance.now() - begunMs);
    const problems = [
      ...(await problemsOfEnd(directory, child.exitCode)),
      ...(isGroupAlive(child.pid) ? ["it left a process running"] : []),
    ];
    return { words, signal, atMs, endedAfterMs, problems };
  } finally {
    if (isGroupAlive(child.pid)) process.kill(-(child.pid ?? 0), "SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
}

/** Problems of how a run ended. A signal after the last verdict stops nothing: the report is whole and the code 0. */
async function problemsOfEnd(
  directory: string,
  exitCode: number | null,
): Promise<readonly string[]> {
  try {
    const text = await readFile(join(directory, "reports/latest/report.json"), "utf8");
    const report: unknown = JSON.parse(text);
    const isInterrupted = typeof report === "object" && report !== null && "interrupted" in report;
    const expected = isInterrupted ? 130 : 0;
    if (exitCode === expected) return [];
    const stopped = isInterrupted ? "stopped" : "whole";
    return [`its report is that of a ${stopped} run, its exit code was ${String(exitCode)}`];
  } catch (error) {
    return [`its exit code was ${String(exitCode)}, its report cannot be read: ${String(error)}`];
  }
}

function isGroupAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}
