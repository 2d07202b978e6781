import { describe, expect, onTestFinished, test } from "vitest";

import { specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { ownersJobs, withOwnersHandler } from "../test/owners-handler.ts";
import { parseJobs } from "./inputs/jobs-file.ts";
import { jobKinds } from "../openapi/capabilities.ts";
import type { JobKind } from "../openapi/capabilities.ts";
import { OwnJobs } from "./inputs/own-jobs.ts";
import { openTarget } from "./open-target.ts";
import { tryJobs } from "./preflight.ts";
import { Session } from "./session.ts";

const times = { quickMs: 0, imageMs: [3000, 3000] } as const;
const owners = ownersJobs(times);

/** Tries the jobs of a file against workers of an owner's handler, on a virtual clock. */
async function tried(
  file: unknown,
  kinds: readonly JobKind[] = jobKinds,
): Promise<OwnJobs & { readonly learned: readonly string[] }> {
  const parsed = parseJobs(file);
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  const { jobs } = parsed;
  const reference = await startReference({ behaviour: withOwnersHandler(specified, times) });
  const { baseUrl, controlUrl = "" } = reference;
  const session = new Session(await openTarget({ baseUrl, controlUrl, capabilities: [], jobs }), 1);
  onTestFinished(async () => {
    await session.close();
    await reference.stop();
  });
  const ownJobs = new OwnJobs(jobs);
  await tryJobs(session, { jobs: ownJobs, kinds: new Set(kinds) }, undefined);
  const learned = session.discovery.learned.map(({ id, text }) => `${id}: ${text}`);
  return Object.assign(ownJobs, { learned });
}

describe("the first try of a jobs file", () => {
  test("lets jobs pass that do what it says", async () => {
    expect((await tried(owners)).learned).toEqual([]);
  });

  test("tries no kind that nobody needs", async () => {
    const failing = { input: { prompt: "hello" } };
    const slow = { input: { image: "a" }, atLeastMs: 1000, atMostMs: 60_000 };
    const jobs = await tried({ ...owners, slow, failing }, ["quick"]);
    expect(jobs.learned).toEqual([]);
    expect(jobs.seen.slowMs).toBeUndefined();
  });

  test("tells how long the slow one usually works, which may be much less than its owner is sure of", async () => {
    const slow = { input: { image: "a" }, atLeastMs: 1000, atMostMs: 60_000 };
    const jobs = await tried({ ...owners, slow });
    expect(jobs.seen.slowMs).toBeGreaterThanOrEqual(3000);
    expect(jobs.seen.slowMs).toBeLessThanOrEqual(5000);
    expect(jobs.seen.quickMs).toBeLessThan(3000);
    expect(jobs.usualMs()).toBeLessThan(10_000);
    expect(new OwnJobs({ slow }).usualMs()).toBe(60_000);
  });

  test.each([
    [
      "quick",
      { input: { prompt: null } },
      /its quick job: it should end COMPLETED .*, but it ended FAILED/,
    ],
    [
      "failing",
      { input: { prompt: "hello" } },
      /its failing job: it should end FAILED .*, but it ended COMPLETED/,
    ],
    [
      "slow",
      { input: { image: "a" }, atLeastMs: 9000, atMostMs: 9500 },
      /at least 9000 and .*, but it ended after 3\d\d\d ms/,
    ],
    ["slow", { input: { image: "a" }, atLeastMs: 100, atMostMs: 500 }, /but it .*after \d+ ms/],
    [
      "known",
      { input: { prompt: "2+2" }, output: { answer: 5 } },
      /its known job: .*, and the file says .*5/,
    ],
    [
      "streaming",
      { input: { prompt: "a", stream: true }, chunksAtLeast: 9 },
      /it yielded 5 chunks, and the file says 9/,
    ],
  ])("takes away a %s job that does otherwise, and tells both: %#", async (kind, job, message) => {
    const { learned } = await tried({ ...owners, [kind]: job });
    expect(learned).toEqual([expect.stringMatching(message)]);
    expect(learned[0]).toMatch(new RegExp(`^jobs-${kind}: `));
  });

  test("tells no secret of an input", async () => {
    const input = { prompt: null, api_key: "sk-of-a-test-1234" };
    const [told] = (await tried({ quick: { input } })).learned;
    expect(told).toContain("FAILED");
    expect(told).not.toContain("sk-of-a-test-1234");
  });
});

test("the jobs of a file are tried on each of several endpoints", async () => {
  const slow = { input: { image: "a" }, atLeastMs: 900, atMostMs: 5000 };
  const parsed = parseJobs({ slow });
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  const apiKey = "the-key-of-both-endpoints";
  const common = { apiKey, clock: "real" as const };
  const reference = await startReference({
    behaviour: withOwnersHandler(specified, { quickMs: 0, imageMs: [1000, 1000] }),
    endpoints: [
      { id: "a", ...common },
      { id: "b", ...common, executionTimeoutMs: 300 },
    ],
    control: false,
  });
  const where = { baseUrl: reference.baseUrl, endpointId: "a", otherEndpointIds: ["b"], apiKey };
  const { jobs } = parsed;
  const session = new Session(await openTarget({ ...where, capabilities: [], jobs }), 1);
  onTestFinished(async () => {
    await session.close();
    await reference.stop();
  });
  await tryJobs(session, { jobs: new OwnJobs(jobs), kinds: new Set(jobKinds) }, undefined);
  const told = session.discovery.learned.map(({ text }) => text);
  expect(told).toEqual([
    expect.stringMatching(/its slow job: at endpoint b .*, but it ended TIMED_OUT/),
  ]);
});
