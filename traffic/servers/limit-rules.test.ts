import { describe, expect, test } from "vitest";

import { verdictsOf } from "../../test/traffic/judged-recording.ts";

interface Asked {
  readonly atMs: number;
  readonly status?: number;
  readonly tookMs?: number;
}

/** The requirements about limits that fail; cancel allows 100 in 10 s, and 20 in flight. */
function brokenBy(asked: readonly Asked[], allowance: number | "unknown" = 0): readonly string[] {
  const cancels = asked.map((each) => ({
    ...each,
    method: "POST" as const,
    target: "/v2/e/cancel/j",
    got: { id: "j", status: "CANCELLED" },
  }));
  const verdicts = verdictsOf(cancels, allowance === "unknown" ? {} : { allowance });
  return Object.entries(verdicts).flatMap(([id, verdict]) =>
    verdict === "fail" && /^(?:RATE|CONC)/.test(id) ? [id] : [],
  );
}

function every(ms: number, count: number, more: Partial<Asked> = {}): readonly Asked[] {
  return Array.from({ length: count }, (_, index) => ({ atMs: index * ms, ...more }));
}

describe("limits, judged by traffic", () => {
  test("nothing is raised at the limit, nor by a limiter that lets two windows meet", () => {
    expect(brokenBy(every(100, 500))).toEqual([]);
    expect(brokenBy(every(10, 200))).toEqual([]);
  });

  test("more than any limiter lets through is found, unless workers allow more", () => {
    expect(brokenBy(every(10, 201))).toEqual(["RATE-05"]);
    expect(brokenBy(every(10, 201), 50)).toEqual([]);
  });

  test("a 429 far below the limit is found, and one that may be right is not", () => {
    const calm = every(1_000, 30);
    expect(brokenBy([...calm, { atMs: 30_000, status: 429 }])).toEqual(["RATE-05"]);
    expect(brokenBy([...every(1_000, 5), { atMs: 5_000, status: 429 }])).toEqual([]);
    expect(brokenBy([...every(300, 100), { atMs: 30_000, status: 429 }])).toEqual([]);
  });

  test("more in flight than the cap allows is found", () => {
    expect(brokenBy(every(0, 40, { tookMs: 50 }))).toEqual([]);
    expect(brokenBy(every(0, 41, { tookMs: 50 }))).toEqual(["CONC-05"]);
  });

  test("nothing is judged without the allowance", () => {
    expect(brokenBy(every(10, 201), "unknown")).toEqual([]);
  });
});
