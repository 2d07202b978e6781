import { once } from "node:events";

import { describe, expect, test } from "vitest";

import { monotonicNowMs } from "../../client/exchange.ts";
import { seededRandom } from "../../harness/random.ts";
import { parseMix } from "./mix-file.ts";
import { plannedMoments } from "./moments.ts";
import { runOpenLoop } from "./open-loop.ts";

function planned(arrival: "even" | "poisson"): readonly number[] {
  const random = seededRandom(1, arrival);
  return plannedMoments({ perSecond: 50, durationMs: 100_000, arrival, random });
}

function gapsOf(moments: readonly number[]): readonly number[] {
  return moments.slice(1).map((ms, at) => ms - (moments[at] ?? 0));
}

describe("planned moments", () => {
  test("are at equal distances, or independent of each other at the same rate", () => {
    const even = planned("even");
    expect(even).toHaveLength(5_000);
    for (const gap of gapsOf(even)) expect(gap).toBeCloseTo(20);
    const poisson = planned("poisson");
    // The deviation of a Poisson count of 5,000 is 71; of its gaps, their mean.
    expect(poisson.length).toBeGreaterThan(4_700);
    expect(poisson.length).toBeLessThan(5_300);
    const longGaps = gapsOf(poisson).filter((gap) => gap > 20).length / poisson.length;
    expect(longGaps).toBeGreaterThan(0.33);
    expect(longGaps).toBeLessThan(0.41);
  });

  test("are the same for the same seed", () => {
    expect(planned("poisson")).toEqual(planned("poisson"));
  });
});

describe("an open loop", () => {
  test("begins each slot whatever became of those before it, in the order of their moments", async () => {
    const begun: number[] = [];
    const all = new AbortController();
    const held = once(all.signal, "abort");
    const startMs = monotonicNowMs();
    const slots = [2, 0, 1].map((at) => ({
      atMs: startMs + at,
      begin: async () => {
        begun.push(at);
        if (begun.length === 3) all.abort();
        await held;
      },
    }));
    const { begun: count } = await runOpenLoop(slots);
    expect(begun).toEqual([0, 1, 2]);
    expect(count).toBe(3);
  });

  test("begins nothing more after a stop", async () => {
    const stop = new AbortController();
    const slot = { atMs: monotonicNowMs(), begin: async () => Promise.resolve(stop.abort()) };
    const never = { atMs: monotonicNowMs() + 600_000, begin: async () => Promise.resolve() };
    expect((await runOpenLoop([slot, never], stop.signal)).begun).toBe(1);
  });
});

describe("a mix", () => {
  test("takes the usual for what it leaves out", () => {
    const parsed = parseMix({ operations: { status: 3 } });
    expect(parsed).toMatchObject({
      ok: true,
      mix: { arrival: "even", operations: { status: 3 }, jobs: { quick: 1 } },
    });
  });

  test.each([
    [{ operations: { statuss: 1 } }, /statuss/],
    [{ operations: { status: "1" } }, /requests a second/],
    [{ operations: { status: 0 } }, /one rate above 0/],
    [{ arrival: "random" }, /even or poisson/],
    [{ jobs: { known: 1 } }, /known/],
    ["mix", /an object with arrival/],
  ])("%j is refused, with the place", (given, says) => {
    const parsed = parseMix(given);
    expect(parsed.ok ? "" : parsed.problems.join("\n")).toMatch(says);
  });
});
