import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { runContract } from "../contracts/index.ts";
import { parseJobs } from "../harness/inputs/jobs-file.ts";
import { jobKinds } from "../openapi/index.ts";
import type { JobKind } from "../openapi/index.ts";
import { specified, startReference } from "../reference/index.ts";
import { ownersJobs, withOwnersHandler } from "../testing/owners-handler.ts";
import { fakeIo } from "./testing/fake-io.ts";
import { runCommandLine } from "./program.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

/** Longer than every check needs that is run in the default time budget, but for SYNC-05. */
const times = { quickMs: 50, imageMs: [16_000, 17_000] } as const;
const halfAnHourMs = 1_800_000;

/** The owner's jobs of some kinds. */
function fileOf(kinds: readonly JobKind[]): Readonly<Record<string, unknown>> {
  const all = ownersJobs(times);
  return Object.fromEntries(kinds.map((kind) => [kind, all[kind]]));
}

/** Runs the contract suite against a plain server whose workers run an owner's handler, on a real clock. */
async function resultsWith(kinds: readonly JobKind[]) {
  const reference = await startReference({
    behaviour: withOwnersHandler(specified, times),
    control: false,
    defaultEndpoint: { clock: "real", workers: 3 },
  });
  const { baseUrl, endpointId, apiKey, foreignKey } = reference;
  const parsed = parseJobs(fileOf(kinds));
  try {
    const { results } = await runContract({
      baseUrl,
      endpointId,
      apiKey,
      foreignKey,
      capabilities: [],
      seed: 1,
      timeBudgetMs: 120_000,
      ...(parsed.ok && kinds.length > 0 && { jobs: parsed.jobs }),
    });
    return results;
  } finally {
    await reference.stop();
  }
}

describe.concurrent("a plain server with an owner's handler", () => {
  test.each([
    { kinds: [], decidedAtLeast: 33 },
    { kinds: ["quick"], decidedAtLeast: 50 },
    { kinds: ["quick", "slow"], decidedAtLeast: 75 },
    { kinds: jobKinds, decidedAtLeast: 90 },
  ] as const)(
    "shows at least $decidedAtLeast requirements by the jobs $kinds, none broken or undecided",
    async ({ kinds, decidedAtLeast }) => {
      const results = await resultsWith(kinds);
      const open = results.filter(
        ({ verdict }) => verdict === "fail" || verdict === "inconclusive",
      );
      expect(open.map(({ name, reason }) => `${name}: ${reason ?? ""}`)).toEqual([]);
      const passed = results.filter(({ verdict }) => verdict === "pass");
      const decided = new Set(passed.flatMap(({ covers }) => covers));
      expect(decided.size).toBeGreaterThanOrEqual(decidedAtLeast);
    },
    halfAnHourMs,
  );
});

test("a jobs file that is not true ends the command line with 3, and nothing else is sent", async () => {
  const server = await startReference({
    behaviour: withOwnersHandler(specified, times),
    control: false,
  });
  const workingDirectory = temporaryDirectory();
  const untrue = { quick: { input: { prompt: null }, atMostMs: 1000 } };
  writeFileSync(join(workingDirectory, "jobs.json"), JSON.stringify(untrue));
  const io = fakeIo({ workingDirectory });
  const where = ["--base-url", server.baseUrl, "--endpoint", server.endpointId];
  const words = ["contract", ...where, "--api-key", server.apiKey, "--jobs", "jobs.json"];
  try {
    expect(await runCommandLine(words, io)).toBe(3);
    expect(io.errors()).toContain("quick: it should end COMPLETED");
    expect(io.errors()).toContain("but it ended FAILED");
    const headers = { authorization: server.apiKey };
    const health = await fetch(`${server.baseUrl}/v2/${server.endpointId}/health`, { headers });
    expect(await health.json()).toMatchObject({ jobs: { completed: 0, failed: 1 } });
  } finally {
    await server.stop();
  }
});
