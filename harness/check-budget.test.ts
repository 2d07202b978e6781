import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { Answer } from "../client/index.ts";
import type { Exchange } from "../client/index.ts";
import { Leash } from "./check-budget.ts";

const limits = { answeringMsMax: 1000, answerBytesMax: 100 };

function exchangeOf(text: string): Exchange {
  return {
    operation: "health",
    request: {
      method: "GET",
      url: "http://127.0.0.1/v2/e/health",
      headers: {},
      keyName: undefined,
      body: undefined,
      bodyBytes: 0,
      endpointId: "e",
      jobId: undefined,
    },
    answer: new Answer(200, {}, text),
    failure: undefined,
    sentAtMs: 0,
    answeredAtMs: 0,
  };
}

describe("a leash", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("ends a check whose requests are under way for too long altogether", () => {
    const leash = new Leash(limits);
    leash.sent();
    vi.advanceTimersByTime(600);
    leash.answered(exchangeOf("{}"));
    vi.advanceTimersByTime(10_000);
    expect(leash.signal.aborted).toBe(false);

    leash.sent();
    vi.advanceTimersByTime(399);
    expect(leash.reason).toBeUndefined();
    vi.advanceTimersByTime(2);
    expect(leash.reason).toMatch(/so slowly that the check took more than 1 s/);
    expect(leash.signal.aborted).toBe(true);
  });

  test("counts requests that are under way together once", () => {
    const leash = new Leash(limits);
    leash.sent();
    leash.sent();
    vi.advanceTimersByTime(600);
    leash.answered(exchangeOf("{}"));
    leash.answered(exchangeOf("{}"));
    leash.sent();
    vi.advanceTimersByTime(300);
    expect(leash.signal.aborted).toBe(false);
    leash.end();
  });

  test("ends a check whose answers grow too large together", () => {
    const leash = new Leash(limits);
    leash.sent();
    leash.answered(exchangeOf("x".repeat(100)));
    expect(leash.reason).toBeUndefined();
    leash.sent();
    leash.answered(exchangeOf("x"));
    expect(leash.reason).toMatch(/answers to this check came to more than/);
  });

  test("keeps the first reason, and has none where the check just ended", () => {
    const leash = new Leash(limits);
    leash.pull("first");
    leash.pull("second");
    expect(leash.reason).toBe("first");

    const other = new Leash(limits);
    other.end();
    other.pull("too late");
    expect(other.reason).toBeUndefined();
    expect(other.signal.aborted).toBe(true);
  });
});
