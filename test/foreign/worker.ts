import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { onTestFinished } from "vitest";

import type { Reference } from "../../reference/start-reference.ts";
import { endGroup } from "./conformance-workers.ts";
import { pythonWithRunpod } from "./python.ts";

export const workerScript = fileURLToPath(new URL("worker.py", import.meta.url));

export interface WorkerOptions {
  readonly podId?: string;
  readonly script?: string;
  readonly words?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface RunningWorker {
  /** What it has written so far. */
  readonly log: () => string;
  /** Settles when it has ended. */
  readonly ended: Promise<void>;
  /** Ends it and the process beside it that pings. */
  readonly stop: () => void;
}

/** Starts a real worker process, as the greeting of `serve --worker external` says; it ends with the test. */
export function startWorker(
  { workerEnvironment }: Pick<Reference, "workerEnvironment">,
  { podId = "worker-1", script = workerScript, words = [], environment }: WorkerOptions = {},
): RunningWorker {
  const child = spawn(pythonWithRunpod().path, ["-u", script, ...words], {
    // A process group of its own, since a worker that crashes leaves its pinging child behind.
    detached: true,
    env: {
      PATH: process.env["PATH"],
      ...workerEnvironment,
      RUNPOD_POD_ID: podId,
      ...environment,
    },
  });
  let log = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (log += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const stop = (): void => endGroup(child);
  onTestFinished(stop);
  const ended = new Promise<void>((resolve) => {
    child.on("exit", () => resolve());
  });
  return { log: () => log, ended, stop };
}
