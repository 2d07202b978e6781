import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { request } from "undici";

import { KEEPING, KEY, steps } from "./requests.ts";
import { endpointsFile, startProcess, type FuzzedServer } from "./fuzzed-server.ts";
import { takeStep, type FuzzState } from "./take-step.ts";
import { failureOf, growthBytesMax } from "../fuzz.ts";
import type { FuzzEnd, FuzzOptions } from "../fuzz.ts";

/** More than a small job takes in memory, in bytes. */
const jobBytesMax = 2500;

/**
 * Sends raw bytes and requests to the built `serve`, which has a state file, until the time is over. Problems are an
 * answer of 500, no answer, an early end, growth, an error on standard error, and a job that is missing after a kill.
 */
export async function fuzzServe({ seconds, seed }: FuzzOptions): Promise<FuzzEnd> {
  const directory = mkdtempSync(join(tmpdir(), "queueproof-fuzz-"));
  writeFileSync(join(directory, "endpoints.json"), endpointsFile);
  const state: FuzzState = {
    jobs: [],
    kept: [],
    requests: 0,
    accepted: 0,
    bytes: 0,
    statuses: new Map(),
  };
  const served = await startProcess(directory);
  try {
    const memory: number[] = [];
    const problems = [
      ...(await fuzz(served, state, { seconds, seed, memory })),
      ...(await endProblems(served)),
      ...(await lostJobs(directory, state)),
    ];
    const growthMax = growthBytesMax + jobBytesMax * state.accepted;
    if ((memory.at(-1) ?? 0) - (memory[0] ?? 0) > growthMax) {
      problems.push(`memory grew from ${memory[0]} to ${memory.at(-1)} bytes`);
    }
    return { problems, figures: figuresOf(state, memory, directory) };
  } finally {
    await served.end("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Watched extends FuzzOptions {
  /** The memory of the server in bytes: first when it is warm, then at every look. */
  readonly memory: number[];
}

async function fuzz(
  served: FuzzedServer,
  state: FuzzState,
  { seconds, seed, memory }: Watched,
): Promise<readonly string[]> {
  const warmAtMs = Date.now() + Math.min(seconds / 3, 60) * 1_000;
  let sweeps = 0;
  const property = fc.asyncProperty(steps, async (taken) => {
    await Promise.all(taken.map((step) => takeStep(step, served, state)));
    sweeps += 1;
    if (sweeps % 200 !== 0 || Date.now() < warmAtMs) return;
    memory.push(await memoryOf(served));
  });
  return failureOf(property, seed, seconds * 1_000);
}

/** Kills the server, so that the next start has only what was written, and returns its unexpected errors. */
async function endProblems(served: FuzzedServer): Promise<readonly string[]> {
  // Only warnings of webhooks that were not sent are expected there.
  const strange = served
    .errors()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("warning: No webhook is sent to "));
  await served.end("SIGKILL");
  return strange.length === 0 ? [] : [`on standard error: ${strange.join("\n")}`];
}

async function lostJobs(directory: string, { kept }: FuzzState): Promise<readonly string[]> {
  const problems: string[] = [];
  const again = await startProcess(directory);
  for (const id of kept) {
    const answer = await request(`${again.baseUrl}/v2/${KEEPING}/status/${id}`, {
      headers: { authorization: KEY },
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) problems.push(`after a kill ${id}: ${answer.statusCode}`);
  }
  const exitCode = await again.end("SIGTERM");
  return exitCode === 0 ? problems : [...problems, `SIGTERM ended it with ${exitCode}`];
}

async function memoryOf({ baseUrl }: FuzzedServer): Promise<number> {
  const { body } = await request(`${baseUrl}/metrics`);
  const found = /^process_resident_memory_bytes (\S+)$/m.exec(await body.text());
  return Number(found?.[1] ?? 0);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}

function figuresOf(
  { requests, accepted, bytes, kept, statuses }: FuzzState,
  memory: readonly number[],
  directory: string,
): FuzzEnd["figures"] {
  return {
    requests,
    accepted,
    connectionsOfRawBytes: bytes,
    statuses: Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)),
    jobsFoundAfterKill: kept.length,
    memoryMegabytes: [memory[0] ?? 0, memory.at(-1) ?? 0].map(megabytes),
    stateMegabytes: megabytes(statSync(join(directory, "state.db")).size),
  };
}
