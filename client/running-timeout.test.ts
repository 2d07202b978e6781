import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { RunningTimeout } from "./running-timeout.ts";

describe("a time-out of the time in which this process runs", () => {
  let stoppedMs = 0;

  beforeEach(() => {
    vi.useFakeTimers();
    const now = performance.now.bind(performance);
    stoppedMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now() + stoppedMs);
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test("calls back when its time is up", () => {
    const callback = vi.fn<() => void>();
    const timeout = new RunningTimeout(callback, 2500);
    vi.advanceTimersByTime(2499);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();
    expect(timeout.clear()).toBe(0);
  });

  test("counts a stop of the process as one step, and goes on counting", () => {
    const callback = vi.fn<() => void>();
    const timeout = new RunningTimeout(callback, 2500);
    stoppedMs += 40_000;
    vi.advanceTimersByTime(2499);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();
    timeout.clear();
  });

  test("leaves time to read what came while its last step was late, once", () => {
    const callback = vi.fn<() => void>();
    const timeout = new RunningTimeout(callback, 500);
    stoppedMs += 40_000;
    vi.advanceTimersByTime(500);
    expect(callback).not.toHaveBeenCalled();
    stoppedMs += 40_000;
    vi.advanceTimersByTime(1000);
    expect(callback).toHaveBeenCalledOnce();
    timeout.clear();
  });

  test.each([
    { afterMs: 0, leftMs: 2500 },
    { afterMs: 400, leftMs: 2100 },
    { afterMs: 2300, leftMs: 200 },
  ])("tells after $afterMs ms that $leftMs ms were left", ({ afterMs, leftMs }) => {
    const callback = vi.fn<() => void>();
    const timeout = new RunningTimeout(callback, 2500);
    vi.advanceTimersByTime(afterMs);
    expect(timeout.clear()).toBeCloseTo(leftMs, 3);
    vi.advanceTimersByTime(10_000);
    expect(callback).not.toHaveBeenCalled();
  });
});
