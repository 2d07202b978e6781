import { describe, expect, test } from "vitest";

import { Answer } from "../client/exchange.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

const atOnce = { sentAtMs: 0, answeredAtMs: 1 };
const answered = { answer: new Answer(500, {}, ""), failure: undefined, ...atOnce };
const timedOut = {
  answer: undefined,
  failure: { kind: "timeout", message: "late" },
  ...atOnce,
} as const;
const closed = {
  answer: undefined,
  failure: { kind: "connection", message: "closed" },
  ...atOnce,
} as const;

describe("a circuit breaker", () => {
  test("rejects an operation that timed out five times in a row, and no other", () => {
    const breaker = new CircuitBreaker();
    for (let count = 0; count < 4; count += 1) breaker.note("run", timedOut);
    expect(breaker.failureOf("run")).toBeUndefined();
    breaker.note("run", timedOut);
    expect(breaker.failureOf("run")?.message).toMatch(/^run gave no answer 5 times in a row/);
    expect(breaker.failureOf("status")).toBeUndefined();
    breaker.note("run", answered);
    expect(breaker.failureOf("run")).toBeUndefined();
  });

  test("goes on asking what fails at once", () => {
    const breaker = new CircuitBreaker();
    for (let count = 0; count < 20; count += 1) breaker.note("run", closed);
    expect(breaker.failureOf("run")).toBeUndefined();
  });

  test("knows which operations have answered anything", () => {
    const breaker = new CircuitBreaker();
    breaker.note("run", closed);
    breaker.note("status", answered);
    expect([breaker.hasAnswered("run"), breaker.hasAnswered("status")]).toEqual([false, true]);
  });

  test("tells everybody once when it trips, and who listens later at once", () => {
    const breaker = new CircuitBreaker();
    const told: string[] = [];
    breaker.onTrip((reason) => told.push(`early: ${reason}`));
    breaker.onTrip(() => told.push("never"))();
    breaker.trip("gone");
    breaker.trip("gone again");
    breaker.onTrip((reason) => told.push(`late: ${reason}`));
    expect(told).toEqual(["early: gone", "late: gone"]);
    expect(breaker.failureOf("health")).toEqual({ kind: "aborted", message: "gone" });
  });
});

test("an operation that blocked the target twice is not asked again, and is no failure", () => {
  const breaker = new CircuitBreaker();
  breaker.noteBlocking("cancel");
  expect(breaker.failureOf("cancel")).toBeUndefined();
  breaker.noteBlocking("cancel");
  expect(breaker.failureOf("cancel")).toEqual({
    kind: "lacking",
    message: "cancel kept the target from answering anything, and is not asked again",
  });
  expect(breaker.failureOf("health")).toBeUndefined();
});

test("an operation that is mostly answered at once is asked again, though the target was silent twice beside it", () => {
  const breaker = new CircuitBreaker();
  for (let count = 0; count < 2; count += 1) breaker.note("run", answered);
  for (let count = 0; count < 2; count += 1) breaker.noteBlocking("run");
  expect(breaker.failureOf("run")).toBeUndefined();
});
