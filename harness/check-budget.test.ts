import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { CheckBudget } from "./check-budget.ts";
import { exchangeOf } from "../test/harness/exchange.ts";

const limits = { answeringMsMax: 1000, answerBytesMax: 100, held: { characters: 0 } };

describe("the budget of a check", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("ends a check whose requests are under way for too long altogether", () => {
    const budget = new CheckBudget(limits);
    budget.sent();
    vi.advanceTimersByTime(600);
    budget.answered(exchangeOf("{}"));
    vi.advanceTimersByTime(10_000);
    expect(budget.signal.aborted).toBe(false);

    budget.sent();
    vi.advanceTimersByTime(399);
    expect(budget.reason).toBeUndefined();
    vi.advanceTimersByTime(2);
    expect(budget.reason).toMatch(/so slowly that the check took more than 1 s/);
    expect(budget.signal.aborted).toBe(true);
  });

  test("ends a check with an error that is known as a stop, not as one of the harness", () => {
    const budget = new CheckBudget(limits);
    budget.abort("the target is gone");
    expect(() => budget.signal.throwIfAborted()).toThrow(DOMException);
    expect(budget.signal.reason).toMatchObject({ name: "AbortError" });
    expect(budget.reason).toBe("the target is gone");
  });

  test("counts requests that are under way together once", () => {
    const budget = new CheckBudget(limits);
    budget.sent();
    budget.sent();
    vi.advanceTimersByTime(600);
    budget.answered(exchangeOf("{}"));
    budget.answered(exchangeOf("{}"));
    budget.sent();
    vi.advanceTimersByTime(300);
    expect(budget.signal.aborted).toBe(false);
    budget.end();
  });

  test("ends a check whose answers grow too large together", () => {
    const budget = new CheckBudget(limits);
    budget.sent();
    budget.answered(exchangeOf("x".repeat(100)));
    expect(budget.reason).toBeUndefined();
    budget.sent();
    budget.answered(exchangeOf("x"));
    expect(budget.reason).toMatch(/answers to this check came to more than/);
  });

  test("ends a check whose answers fill the memory together with those of others under way", () => {
    const held = { characters: 80 * 1_048_576 - 50 };
    const [one, other] = [
      new CheckBudget({ ...limits, held }),
      new CheckBudget({ ...limits, held }),
    ];
    one.sent();
    one.answered(exchangeOf("x".repeat(50)));
    other.sent();
    other.answered(exchangeOf("x"));
    expect([one.reason, other.reason]).toEqual([
      undefined,
      "the target's answers to the checks under way came to more than 80 MiB together",
    ]);
    one.end();
    other.end();
    expect(held.characters).toBe(80 * 1_048_576 - 50);
  });

  test("keeps the first reason, and has none where the check just ended", () => {
    const budget = new CheckBudget(limits);
    budget.abort("first");
    budget.abort("second");
    expect(budget.reason).toBe("first");

    const other = new CheckBudget(limits);
    other.end();
    other.abort("too late");
    expect(other.reason).toBeUndefined();
    expect(other.signal.aborted).toBe(true);
  });
});
