import { once } from "node:events";

import { startServeProcess } from "../../serve-process.ts";
import { KEEPING, KEY, QUICK } from "./requests.ts";

const plenty = { requests: 1_000_000, concurrent: 10_000 };
const operations = "run runsync status stream cancel purge-queue openai requests".split(" ");
const limits = Object.fromEntries(operations.map((name) => [name, plenty]));

/** The endpoints file of `serve`: limits are never reached, and the jobs of QUICK last seconds. */
export const endpointsFile = JSON.stringify({
  endpoints: [
    { id: QUICK, apiKey: KEY, workers: 5, speed: 300, limits },
    { id: KEEPING, apiKey: KEY, workers: 1, clock: "virtual", limits },
  ],
});

/** A built `serve` in a process of its own. */
export interface FuzzedServer {
  readonly baseUrl: string;
  readonly port: number;
  /** What it has written to standard error. */
  readonly errors: () => string;
  readonly isRunning: () => boolean;
  /** Sends the signal and returns the exit code; null after SIGKILL. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<number | null>;
}

/** Starts `serve` in a directory that holds its endpoints file and takes its state file. */
export async function startProcess(directory: string): Promise<FuzzedServer> {
  const words = ["--endpoints", "endpoints.json", "--state", "state.db"];
  const { child, told, errors } = await startServeProcess(
    [...words, "--webhook-to", "loopback"],
    directory,
  );
  const { baseUrl = "" } = told;
  return {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    errors,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exit = once(child, "exit");
      child.kill(signal);
      await exit;
      return child.exitCode;
    },
  };
}
