import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { KEEPING, KEY, QUICK } from "./requests.ts";

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

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
  const words = ["serve", "--json", "--endpoints", "endpoints.json", "--state", "state.db"];
  const child = spawn(process.execPath, [main, ...words, "--webhook-to", "loopback"], {
    cwd: directory,
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const line = await firstLine(child, () => errors);
  const told: unknown = JSON.parse(line);
  if (typeof told !== "object" || told === null || !("baseUrl" in told)) throw new Error(line);
  const baseUrl = String(told.baseUrl);
  return {
    baseUrl,
    port: Number(new URL(baseUrl).port),
    errors: () => errors,
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

async function firstLine(
  child: ChildProcessWithoutNullStreams,
  errors: () => string,
): Promise<string> {
  let output = "";
  child.stdout.setEncoding("utf8");
  for await (const text of child.stdout) {
    output += String(text);
    if (output.includes("\n")) break;
  }
  if (!output.includes("\n")) throw new Error(`serve did not start: ${errors()}`);
  return output;
}
