import { describe, expect, test } from "vitest";

import { identify } from "./fit.ts";
import type { LimiterKind } from "./models.ts";
import { traceSteps } from "./trace.ts";
import type { TracedRequest } from "./trace.ts";

/** Written by other means than the models: every request one by one, every rule from its definition. */
type Rule = (history: readonly TracedRequest[], atMs: number) => boolean;

interface Numbers {
  readonly limit: number;
  readonly windowMs: number;
}

const admittedSince = (history: readonly TracedRequest[], fromMs: number): number =>
  history.filter(({ atMs, isAdmitted }) => isAdmitted && atMs >= fromMs).length;

const phaseMs = 3_210;

const rules: Readonly<Record<string, (numbers: Numbers) => Rule>> = {
  "fixed aligned":
    ({ limit, windowMs }) =>
    (history, atMs) => {
      const index = Math.floor((atMs + phaseMs) / windowMs);
      return admittedSince(history, index * windowMs - phaseMs) < limit;
    },
  "fixed from first request":
    ({ limit, windowMs }) =>
    (history, atMs) => {
      let openedMs = -Infinity;
      for (const request of [...history, { atMs }]) {
        if (request.atMs - openedMs >= windowMs) openedMs = request.atMs;
      }
      return admittedSince(history, openedMs) < limit;
    },
  "sliding log":
    ({ limit, windowMs }) =>
    (history, atMs) =>
      history.filter((past) => past.isAdmitted && atMs - past.atMs < windowMs).length < limit,
  "sliding log counting refusals":
    ({ limit, windowMs }) =>
    (history, atMs) =>
      history.filter((past) => atMs - past.atMs < windowMs).length < limit,
  "sliding counter":
    ({ limit, windowMs }) =>
    (history, atMs) => {
      const startMs = Math.floor((atMs + phaseMs) / windowMs) * windowMs - phaseMs;
      const now = admittedSince(history, startMs);
      const before = admittedSince(history, startMs - windowMs) - now;
      return now + 1 + before * (1 - (atMs - startMs) / windowMs) <= limit + 1e-6;
    },
  "token bucket": ({ limit, windowMs }) => {
    let level = 0;
    let lastMs = 0;
    return (_history, atMs) => {
      level = Math.max(0, level - ((atMs - lastMs) / windowMs) * limit);
      lastMs = atMs;
      if (level + 1 > limit + 1e-6) return false;
      level += 1;
      return true;
    };
  },
  "two processes": (numbers) => (history, atMs) => {
    const mine = history.filter((_, index) => index % 2 === history.length % 2);
    return rules["fixed from first request"]?.(numbers)(mine, atMs) === true;
  },
  none: () => () => true,
};

function trace(kind: string, numbers: Numbers, declared: Numbers): readonly TracedRequest[] {
  const rule = rules[kind]?.(numbers);
  const history: TracedRequest[] = [];
  for (const { atMs, count } of traceSteps(declared.limit, declared.windowMs)) {
    for (let sent = 0; sent < count; sent += 1) {
      history.push({ atMs, isAdmitted: rule?.(history, atMs) === true });
    }
  }
  return history;
}

const small = { limit: 100, windowMs: 10_000 };
const kinds = Object.keys(rules).filter((kind) => kind !== "none" && kind !== "two processes");

describe("identify", () => {
  test.each(kinds)("names %s, its limit and its window", (kind) => {
    const { best, runnerUp } = identify(trace(kind, small, small), small);
    expect(best).toMatchObject({ model: { kind, ...small }, differences: 0 });
    // Another kind explains it as well with other numbers at most, never with the declared ones.
    const { limit, windowMs } = runnerUp?.model ?? small;
    const isExplained = runnerUp?.differences === 0;
    expect(isExplained && limit === small.limit && windowMs === small.windowMs).toBe(false);
  });

  test.each(kinds.flatMap((kind) => [99, 101].map((limit) => ({ kind, limit }))))(
    "tells a limit of $limit from 100: $kind",
    ({ kind, limit }) => {
      const { best } = identify(trace(kind, { ...small, limit }, small), small);
      expect(best).toMatchObject({ model: { kind, limit }, differences: 0 });
    },
  );

  test.each(kinds.flatMap((kind) => [9, 11].map((seconds) => ({ kind, seconds }))))(
    "tells a window of $seconds s from 10 s: $kind",
    ({ kind, seconds }) => {
      const windowMs = seconds * 1_000;
      const { best } = identify(trace(kind, { ...small, windowMs }, small), small);
      expect(best).toMatchObject({ model: { kind, windowMs }, differences: 0 });
    },
  );

  test.each([999, 1_000, 1_001])("finds a limit of %i exactly", (limit) => {
    const declared = { limit: 1_000, windowMs: 10_000 };
    const { best } = identify(trace("fixed aligned", { ...declared, limit }, declared), declared);
    expect(best).toMatchObject({ model: { kind: "fixed aligned", limit }, differences: 0 });
  });

  test.each(["fixed from first request", "sliding log", "token bucket"])(
    "identifies the smallest limit of the table: %s",
    (kind) => {
      const declared = { limit: 10, windowMs: 10_000 };
      const { best } = identify(trace(kind, declared, declared), declared);
      expect(best).toMatchObject({ model: { kind, limit: 10 }, differences: 0 });
    },
  );

  test("says that nothing limits", () => {
    const { best, window } = identify(trace("none", small, small), small);
    expect(best.model.kind).toBe<LimiterKind>("none");
    expect(window).toBeUndefined();
  });

  test("finds a window that is split into seconds", () => {
    const split = trace("fixed aligned", { limit: 10, windowMs: 1_000 }, small);
    expect(identify(split, small).best).toMatchObject({
      model: { kind: "split windows", limit: 100, windowMs: 10_000, parts: 10 },
      differences: 0,
    });
  });

  test("finds two processes that count each for itself", () => {
    const both = trace("two processes", small, small);
    expect(identify(both, small).best).toMatchObject({
      model: { kind: "counter per process", limit: 100, parts: 2 },
      differences: 0,
    });
  });

  test("bounds the window", () => {
    const { window } = identify(trace("sliding log", small, small), small);
    expect(window?.shortestMs).toBeLessThanOrEqual(10_000);
    expect(window?.longestMs).toBeGreaterThanOrEqual(10_000);
    expect((window?.longestMs ?? Infinity) - (window?.shortestMs ?? 0)).toBeLessThanOrEqual(4);
  });
});
