import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Reference } from "../../reference/start-reference.ts";
import { conformanceScript, pythonWithRunpod } from "./python.ts";

/** A few more jobs than the checks of one run have at work at once. */
const CONCURRENCY = 200;

/** Starts conformance workers. One that crashes is replaced. `stop` ends them all and deletes what they noted. */
export function startConformanceWorkers(
  { workerEnvironment }: Pick<Reference, "workerEnvironment">,
  size: number,
): { readonly stop: () => void } {
  const children = new Set<ChildProcess>();
  const state = mkdtempSync(join(tmpdir(), "queueproof-attempts-"));
  let hasStopped = false;
  let started = 0;
  const start = (): void => {
    started += 1;
    const child = spawn(pythonWithRunpod().path, ["-u", conformanceScript], {
      // A process group of its own, since a worker that crashes leaves its pinging child behind.
      detached: true,
      stdio: ["ignore", "ignore", "ignore"],
      env: {
        PATH: process.env["PATH"],
        ...workerEnvironment,
        RUNPOD_POD_ID: `worker-${started}`,
        CONFORMANCE_CONCURRENCY: String(CONCURRENCY),
        CONFORMANCE_STATE: state,
      },
    });
    children.add(child);
    child.on("exit", () => {
      endGroup(child);
      children.delete(child);
      if (!hasStopped) start();
    });
  };
  for (let at = 0; at < size; at += 1) start();
  return {
    stop: () => {
      hasStopped = true;
      for (const child of children) endGroup(child);
      rmSync(state, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Ends a worker and the process beside it that pings. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The whole group has ended by itself.
  }
}
