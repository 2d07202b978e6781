import { describe, expect, onTestFinished, test } from "vitest";

import type { RequirementResult } from "../harness/judge.ts";
import type { RunOutcome } from "../harness/run.ts";
import type { RunEvent } from "../harness/run-events.ts";
import { seededRandom } from "../harness/random.ts";
import { thoroughReason } from "../reports/not-run.ts";
import { runContract } from "./run-contract.ts";
import { UnreliableTarget } from "../test/hostile/unreliable-target.ts";
import type { Treat } from "../test/hostile/unreliable-target.ts";

/** Runs of the suite, or of large parts of it, against targets that lose answers or go away. */

const settings = { capabilities: [], seed: 1, timeBudgetMs: 0 } as const;

async function startTarget(treat: Treat = () => "answer"): Promise<UnreliableTarget> {
  const target = await UnreliableTarget.start(treat);
  onTestFinished(async () => target.kill());
  return target;
}

async function run(
  { baseUrl, controlUrl }: UnreliableTarget,
  only: readonly string[] = [],
  onEvent?: (event: RunEvent) => void,
): Promise<RunOutcome & { readonly tookMs: number }> {
  const begunMs = performance.now();
  const hooks = onEvent === undefined ? {} : { onEvent };
  const outcome = await runContract({ ...settings, only, baseUrl, controlUrl }, hooks);
  return { ...outcome, tookMs: performance.now() - begunMs };
}

let reliableMs: number | undefined;

/** Measures how long the suite takes on this machine at present when every request is answered. */
async function measureReliable(): Promise<number> {
  const target = await UnreliableTarget.start(() => "answer");
  const { tookMs } = await run(target);
  await target.kill();
  return tookMs;
}

/**
 * Expects a run to have taken less than `waitMs` and `times` the time of a reliable run. Where it took more, the
 * machine may have become busier since the reliable run was measured: then that is measured anew.
 */
async function expectWithin(waitMs: number, times: number, tookMs: number): Promise<void> {
  reliableMs ??= await measureReliable();
  if (tookMs >= waitMs + times * reliableMs) reliableMs = await measureReliable();
  expect(tookMs).toBeLessThan(waitMs + times * reliableMs);
}

function failedIds(results: readonly RequirementResult[]): readonly string[] {
  const failed = results.filter(({ verdict }) => verdict === "fail");
  return [...new Set(failed.flatMap(({ covers }) => covers))].toSorted();
}

function reasonsOf(results: readonly RequirementResult[], id: string): string {
  return results
    .filter(({ covers }) => covers.some((each) => each === id))
    .map(({ reason = "" }) => reason)
    .join("\n");
}

describe("a target that drops the connection", () => {
  test.each([
    // Here the whole suite is run, since most of its checks ask for status.
    { operation: "status", id: "STAT-01", others: [] },
    // For the others a part of it, which shows what other requirements say of them.
    { operation: "run", id: "RUNA-01", others: ["RUNA-*", "STAT-*", "CANC-*", "RETR-*"] },
    { operation: "cancel", id: "CANC-01", others: ["CANC-*", "RUNA-*", "STAT-*"] },
    { operation: "purge-queue", id: "PURG-04", others: ["PURG-*", "HLTH-*", "RUNA-*"] },
    { operation: "health", id: "HLTH-01", others: ["HLTH-*", "PURG-*", "LIFE-*"] },
  ])("of $operation fails $id, and says so", async ({ operation, id, others }) => {
    const target = await startTarget((seen) => (seen.operation === operation ? "drop" : "answer"));
    const { results, tookMs, outages, targetGone } = await run(target, others);
    expect(failedIds(results)).toContain(id);
    expect(reasonsOf(results, id)).toMatch(
      /got .*no answer: the connection was (closed|reset), 3 of 3 times/,
    );
    expect(results.flatMap(({ harnessError }) => harnessError ?? [])).toEqual([]);
    expect({ outages, targetGone }).toEqual({ outages: [], targetGone: undefined });
    await expectWithin(20_000, 3, tookMs);
  });

  test("of run where a webhook is no URL fails SUBM-06", async () => {
    const target = await startTarget(({ body }) =>
      /"webhook":"(?!http)/.test(body) ? "drop" : "answer",
    );
    const { results, tookMs } = await run(target, ["SUBM-*", "RUNA-*", "HOOK-*"]);
    expect(failedIds(results)).toContain("SUBM-06");
    expect(failedIds(results)).not.toContain("RUNA-01");
    expect(reasonsOf(results, "SUBM-06")).toMatch(/expected status 400, got no answer/);
    await expectWithin(20_000, 3, tookMs);
  });

  test("of run where there is a webhook fails what is said of webhooks, and nothing else", async () => {
    const target = await startTarget(({ body }) =>
      body.includes('"webhook":') ? "drop" : "answer",
    );
    const { results } = await run(target, ["SUBM-*", "RUNA-*", "HOOK-*"]);
    expect(failedIds(results)).toEqual(expect.arrayContaining(["HOOK-01", "SUBM-06"]));
    expect(failedIds(results)).not.toContain("RUNA-01");
  });

  test("of a payload over the limit is not decided: its answer may have been lost", async () => {
    const target = await startTarget(({ body }) => (body.length > 10_485_760 ? "drop" : "answer"));
    const { results } = await run(target, ["RUNA-02"]);
    expect(results.length).toBeGreaterThan(1);
    for (const { verdict, reason, attempts } of results) {
      expect(verdict).toBe("inconclusive");
      expect(reason).toMatch(/may have been lost while/);
      expect(attempts).toHaveLength(2);
    }
  });

  test("after the first try of each cancel breaks nothing, and is listed", async () => {
    const seen = new Set<string>();
    const target = await startTarget(({ operation, path }) => {
      if (operation !== "cancel" || seen.has(path)) return "answer";
      seen.add(path);
      return "drop";
    });
    const { results } = await run(target, ["CANC-*", "STAT-*", "PURG-*"]);
    expect(failedIds(results)).toEqual([]);
    const dropped = results.flatMap((result) => result.dropped ?? []);
    expect(dropped.map(({ request }) => request).join("\n")).toMatch(/^POST .*\/cancel\//);
  });
});

describe("a target that loses answers by chance", () => {
  test.each(["drop", "cut"] as const)("(%s) is at fault", async (treatment) => {
    const random = seededRandom(1, treatment);
    const share = treatment === "drop" ? 1 / 3 : 1 / 2;
    const target = await startTarget(() => (random() < share ? treatment : "answer"));
    const { results } = await run(target, ["RUNA-*", "STAT-*", "CANC-*", "STRM-*"]);
    expect(failedIds(results).length).toBeGreaterThan(0);
    const failed = results.filter(({ verdict }) => verdict === "fail");
    expect(failed.filter(({ reason = "" }) => !/no answer/.test(reason))).toEqual([]);
    expect(results.some(({ dropped = [] }) => dropped.length > 0)).toBe(true);
  });
});

describe("a target that goes away in the middle", () => {
  /** Kills the target when `count` results have come. */
  const killAfter =
    (count: number, kill: () => void) =>
    ({ type }: RunEvent): void => {
      if (type !== "finished") return;
      finished += 1;
      if (finished === count) kill();
    };
  let finished = 0;

  test("for good ends the run within 10 s, with what was decided", async () => {
    finished = 0;
    const target = await startTarget();
    let killedMs = 0;
    const onEvent = killAfter(60, () => {
      killedMs = performance.now();
      void target.kill();
    });
    const { results, targetGone } = await run(target, [], onEvent);
    const endedMs = performance.now();
    await expectWithin(15_000, 1, endedMs - killedMs);
    expect(targetGone?.reason).toMatch(/stopped answering after/);
    expect(failedIds(results)).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThanOrEqual(30);
  });

  test("and comes back after 2 s is told so, and judged by what was run again", async () => {
    finished = 0;
    const target = await startTarget();
    const onEvent = killAfter(60, () => {
      void target.restart(2000);
    });
    const { results, outages, targetGone } = await run(target, [], onEvent);
    expect(targetGone).toBeUndefined();
    expect(outages).toHaveLength(1);
    expect(failedIds(results)).toEqual([]);
    const undecided = results.filter(({ verdict }) => verdict !== "pass");
    expect(undecided.map(({ name, reason }) => `${name}: ${reason ?? ""}`)).toEqual([
      `states/long-random-sequences-agree-with-the-model: ${thoroughReason}`,
    ]);
    expect(results.some(({ attempts = [] }) => attempts.length > 0)).toBe(true);
  });

  test("whenever one check runs fails that check", async () => {
    const target = await startTarget(({ body }) => {
      if (!body.includes('"executionTimeout":4999')) return "answer";
      void target.restart(1000);
      return "silence";
    });
    const { results, outages } = await run(target, ["POLI-*", "RUNA-*", "STAT-*"]);
    expect(outages.length).toBeGreaterThanOrEqual(2);
    expect(failedIds(results)).toEqual(["POLI-01"]);
  });
});

test("a target that accepts connections and says nothing is told before the run", async () => {
  const target = await startTarget();
  const silent = { baseUrl: target.baseUrl, endpointId: "e", apiKey: "k" };
  await target.kill();
  await expect(runContract({ ...settings, ...silent })).rejects.toThrow(/did not answer/);
});
