import { describe, expect, test } from "vitest";

import {
  countingRefusals,
  declared,
  identified,
  kinds,
  virtual,
} from "../../test/load/simulate.ts";
import { likelyKinds } from "./identify.ts";
import { traceSteps } from "./trace.ts";

/** All kinds but one that, where time stands still, refuses all but the first and the last, as others with other numbers do. */
const namedAtOnce = kinds.filter((kind) => kind !== countingRefusals);

describe("identify", () => {
  test.each(namedAtOnce)("names %s, its limit and its window, where time stands still", (kind) => {
    const { best, remaining, others } = identified({ kind }, virtual);
    expect(best).toMatchObject({ kind, ...declared, differences: 0 });
    expect(remaining).toHaveLength(1);
    expect(remaining[0]).toMatchObject({ kind, limits: { least: 100, most: 100 } });
    expect(others[0]?.differences).toBeGreaterThan(0);
  });

  test("leaves other kinds possible beside a sliding counter that counts refusals", () => {
    const { best, remaining } = identified({ kind: countingRefusals }, virtual);
    expect(best).toMatchObject({ ...declared, differences: 0 });
    const truth = remaining.find(({ kind }) => kind === countingRefusals);
    expect(truth?.limits.least).toBe(100);
    expect(remaining.map(({ kind }) => kind)).not.toContain("counter per process");
  });

  test.each(namedAtOnce.flatMap((kind) => [99, 101].map((limit) => ({ kind, limit }))))(
    "tells a limit of $limit from 100: $kind",
    (truth) => {
      expect(identified(truth, virtual).best).toMatchObject({ ...truth, differences: 0 });
    },
  );

  test.each(namedAtOnce.flatMap((kind) => [9_000, 11_000].map((windowMs) => ({ kind, windowMs }))))(
    "tells a window of $windowMs ms from 10 s: $kind",
    (truth) => {
      expect(identified(truth, virtual).best).toMatchObject({ ...truth, differences: 0 });
    },
  );

  test("names a bucket whose rate has nothing to do with its capacity", () => {
    const { best } = identified({ kind: "bucket with its own rate" }, virtual);
    expect(best).toMatchObject({ kind: "bucket with its own rate", limit: 20, differences: 0 });
  });

  test.each(["fixed from first request", "sliding log", "token bucket"])(
    "identifies the small limit of requests: %s",
    (kind) => {
      const stated = { limit: 10, windowMs: 10_000 };
      expect(identified({ kind }, virtual, stated).best).toMatchObject({ kind, ...stated });
    },
  );

  test("says which kinds remain where a limit of two does not tell them apart", () => {
    const stated = { limit: 2, windowMs: 10_000 };
    const { remaining } = identified({ kind: "fixed from first request" }, virtual, stated);
    expect(remaining.map(({ kind }) => kind)).toContain("fixed from first request");
    expect(remaining.every(({ limits }) => limits.least === 2 && limits.most === 2)).toBe(true);
  });

  test("says that nothing limits", () => {
    const { best, remaining } = identified({ kind: "none" }, virtual);
    expect(best.kind).toBe("none");
    expect(remaining).toEqual([]);
  });

  test("finds a window that is split into seconds", () => {
    const { best } = identified({ kind: "split windows" }, virtual);
    expect(best).toMatchObject({ kind: "split windows", limit: 100, parts: 10, differences: 0 });
  });

  test("finds two processes that count each for itself", () => {
    const { best } = identified({ kind: "counter per process" }, virtual);
    expect(best).toMatchObject({ kind: "counter per process", limit: 100, parts: 2 });
  });

  test("bounds the window", () => {
    const { window } = identified({ kind: "sliding log" }, virtual);
    expect(window?.shortestMs).toBeLessThanOrEqual(10_000);
    expect(window?.longestMs).toBeGreaterThanOrEqual(10_000);
    expect((window?.longestMs ?? Infinity) - (window?.shortestMs ?? 0)).toBeLessThan(300);
  });
});

describe("likelyKinds", () => {
  const bucket = {
    kind: "token bucket",
    limits: { least: 996, most: 1002 },
    windows: { shortestMs: 10_000, longestMs: 10_000 },
  };
  const counter = {
    kind: "sliding counter",
    limits: { least: 1086, most: 1113 },
    windows: { shortestMs: 7000, longestMs: 11_000 },
  };
  const stated = { limit: 1000, windowMs: 10_000 };

  test("leaves out a kind that needs a limit which nobody declared", () => {
    expect(likelyKinds([counter, bucket], stated)).toEqual([bucket]);
  });

  test("leaves out a kind that needs another window", () => {
    const slow = { ...bucket, windows: { shortestMs: 10_300, longestMs: 11_000 } };
    const other = { ...counter, limits: bucket.limits };
    expect(likelyKinds([slow, other], stated)).toEqual([other]);
  });

  test("leaves out none where all need other numbers", () => {
    const stricter = { limit: 500, windowMs: 10_000 };
    expect(likelyKinds([counter, bucket], stricter)).toEqual([counter, bucket]);
  });
});

describe("traceSteps", () => {
  test("takes five windows, and at most 1.15 times what three exhaustions need", () => {
    const steps = traceSteps(2_000, 10_000);
    const sent = steps.reduce((sum, { count }) => sum + count, 0);
    expect(sent).toBeLessThanOrEqual(1.15 * 3 * 2_001);
    expect(Math.max(...steps.map(({ atMs }) => atMs))).toBeLessThanOrEqual(50_000);
  });
});
