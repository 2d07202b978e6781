import { expect, onTestFinished, test } from "vitest";

import { RunBound } from "./run-bound.ts";
import type { RunBoundOptions } from "./run-bound.ts";

/** A bound on a clock that the test moves, and the reasons with which it has ended the run. */
function boundOf(given: Partial<RunBoundOptions> = {}) {
  const clock = { nowMs: 0 };
  const over: string[] = [];
  const bound = new RunBound({
    virtual: false,
    startedAtMs: 0,
    onOver: (reason) => over.push(reason),
    now: () => clock.nowMs,
    ...given,
  });
  onTestFinished(() => bound.close());
  const lookAt = (nowMs: number): readonly string[] => {
    clock.nowMs = nowMs;
    bound.look();
    return over;
  };
  return { bound, lookAt };
}

test("a run ends within one and a half times its plan, with both figures", () => {
  const { bound, lookAt } = boundOf();
  bound.plan(100_000);
  expect(lookAt(139_000)).toEqual([]);
  expect(lookAt(150_000)).toEqual([
    "the run was ended after 2 min 20 s: it was planned to take 1 min 40 s and may take half as much again, a minute at least, and the target's answers took 0 ms",
  ]);
});

test("a short run may take a minute, whatever was planned", () => {
  const { bound, lookAt } = boundOf();
  bound.plan(2000);
  expect(lookAt(54_000)).toEqual([]);
  expect(lookAt(60_000)).toHaveLength(1);
});

test("what answers took on a virtual clock is granted once, also where requests overlap", () => {
  const { bound, lookAt } = boundOf({ virtual: true });
  bound.plan(0);
  bound.answered(0, 10_000);
  bound.answered(20_000, 40_000);
  bound.answered(5000, 45_000);
  bound.answered(45_000, 50_000);
  expect(bound.limitMs).toBe(55_000 + 1.4 * 50_000);
  expect(lookAt(124_000)).toEqual([]);
  expect(lookAt(130_000)).toEqual([expect.stringContaining("and the target's answers took 50 s")]);
});

test("on a real clock the time that passed checks took beyond their plan is granted, up to a bound", () => {
  const { bound, lookAt } = boundOf();
  bound.plan(100_000);
  bound.passedLate(-5000);
  lookAt(50_000);
  bound.passedLate(20_000);
  lookAt(60_000);
  // What is late beside another one is late at the same time.
  bound.passedLate(20_000);
  expect(bound.limitMs).toBe(140_000 + 1.4 * 30_000);
  bound.passedLate(1_000_000);
  expect(bound.limitMs).toBe(140_000 + 1.4 * 100_000);
});

test("the time for which cancelled jobs kept workers is granted as that of late checks is, and not besides", () => {
  const { bound, lookAt } = boundOf({ keptWorkersMs: () => 30_000 });
  bound.plan(100_000);
  expect(bound.limitMs).toBe(140_000 + 1.4 * 30_000);
  lookAt(50_000);
  bound.passedLate(20_000);
  expect(bound.limitMs).toBe(140_000 + 1.4 * 30_000);
});

test("a limit from outside ends a run earlier, and is told", () => {
  const bounds: number[] = [];
  const { bound, lookAt } = boundOf({ onBound: (limitMs) => bounds.push(limitMs) });
  bound.plan(100_000, { ms: 30_000, sinceMs: -500 });
  expect(bounds).toEqual([29_500]);
  expect(lookAt(29_000)).toEqual([]);
  expect(lookAt(29_500)).toEqual([
    "the run was ended after 30 s, its time limit: it was planned to take 1 min 40 s",
  ]);
});
