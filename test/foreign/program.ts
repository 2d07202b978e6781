import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "node:net";
import type { RunningServer } from "../running-server.ts";
import { waitLimits } from "../wait-limits.ts";

const endsWithinMs = 5_000;
const charactersKept = 2_000;

/** Ends a process by a signal, and by SIGKILL where it does not end by itself. */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), endsWithinMs);
  await ended;
  clearTimeout(late);
}

/**
 * Starts a program that serves until it is stopped, and waits until it answers.
 * @throws Error with what it wrote last, where it ends or does not answer in time.
 */
export async function startProgram(
  path: string,
  words: readonly string[],
  baseUrl: string,
): Promise<RunningServer> {
  const child = spawn(path, words, { stdio: ["ignore", "pipe", "pipe"] });
  let written = "";
  const keep = (text: string): void => {
    written = `${written}${text}`.slice(-charactersKept);
  };
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  // A server that waits for a job that never ends would never stop by itself.
  const stop = async (): Promise<void> => endProcess(child);
  const deadlineMs = performance.now() + waitLimits.timeout;
  while (!(await answers(baseUrl))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      await stop();
      throw new Error(`${path} does not serve ${baseUrl}:\n${written}`);
    }
    await pause(100);
  }
  return { baseUrl, stop };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** Waits until somebody listens on a port of loopback. */
export async function untilItListens(port: number): Promise<void> {
  const deadlineMs = performance.now() + waitLimits.timeout;
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await pause(50);
    } finally {
      socket.destroy();
    }
  }
}
