import { describe, expect, test } from "vitest";

import type { Tier } from "../../openapi/operations.ts";
import type { Burst } from "./burst.ts";
import { judgeBursts } from "./judge-bursts.ts";
import type { Attempt } from "./judge-bursts.ts";

const run: Tier = { rate: "RATE-02", operation: "run", limit: 1_000 };

/** A burst of 1001 in 200 ms: a token bucket of 1000 gains 20 meanwhile. */
function burst(counts: Partial<Burst>): Burst {
  return {
    sent: 1_001,
    accepted: 1_000,
    refused: 1,
    other: 0,
    otherStatuses: {},
    unanswered: 0,
    startMs: 0,
    endMs: 200,
    latenciesMs: [1, 2, 3],
    ...counts,
  };
}

const allIn = burst({ accepted: 1_001, refused: 0 });

describe("one attempt", () => {
  test.each<[string, Attempt]>([
    ["one more than the limit is refused", [burst({})]],
    [
      "a bucket that filled up refuses in the second burst",
      [allIn, burst({ accepted: 30, refused: 971, startMs: 200, endMs: 400 })],
    ],
  ])("passes where %s", (_what, attempt) => {
    expect(judgeBursts(run, [attempt]).check.verdict).toBe("pass");
  });

  test.each<[string, Attempt]>([
    ["less than the limit is accepted", [burst({ accepted: 999, refused: 2 })]],
    ["nothing is refused", [allIn, burst({ accepted: 1_001, refused: 0, endMs: 400 })]],
    ["a refusal is no 429", [burst({ refused: 0, other: 1, otherStatuses: { 503: 1 } })]],
    ["it is refused by 500", [burst({ refused: 0, other: 1, otherStatuses: { 500: 1 } })]],
  ])("fails where %s", (_what, attempt) => {
    const { check } = judgeBursts(run, [attempt]);
    expect(check.verdict).toBe("fail");
    expect(check.reason).toContain("accepted");
  });

  test("is told under the operation's own requirement where the server broke on some", () => {
    const broken = burst({ accepted: 997, refused: 1, other: 3, otherStatuses: { 500: 3 } });
    const { check, beside } = judgeBursts(run, [[broken]]);
    expect(check.verdict).toBe("pass");
    expect(beside).toMatchObject([
      {
        covers: ["RUNA-01"],
        verdict: "fail",
        reason: "run, 1001 requests in bursts: expected only 2xx and 429, got 3 with 500",
      },
    ]);
  });

  test("decides no limit where it depends on what the server broke on", () => {
    const broken = burst({ accepted: 900, refused: 1, other: 3, otherStatuses: { 404: 3 } });
    const { check, beside } = judgeBursts(run, [[broken]]);
    expect(check).toMatchObject({
      verdict: "inconclusive",
      reason: "900 of 1001 were accepted, 3 with 404",
    });
    expect(beside).toMatchObject([{ covers: ["RUNA-01"], verdict: "fail" }]);
  });

  test.each<[string, Attempt, string]>([
    [
      "an edge may have come between",
      [allIn, burst({ accepted: 700, refused: 301, endMs: 400 })],
      "the edge of a window may explain it",
    ],
    ["answers are missing", [burst({ unanswered: 5 })], "5 of 1001 requests had no answer"],
    ["nothing was sent", [burst({ accepted: 0, refused: 0, unanswered: 1_001 })], "no answer"],
    [
      "all are answered 503",
      [burst({ accepted: 0, refused: 0, other: 1_001, otherStatuses: { 503: 1_001 } })],
      "1001 with 503",
    ],
    ["the burst was slow", [burst({ endMs: 6_000 })], "took 6000 ms"],
  ])("decides nothing where %s", (_what, attempt, reason) => {
    const { check } = judgeBursts(run, [attempt]);
    expect(check.verdict).toBe("inconclusive");
    expect(check.reason).toContain(reason);
  });
});

test("what an edge would explain once is a failure when it comes each time", () => {
  const odd: Attempt = [allIn, burst({ accepted: 499, refused: 502, startMs: 200, endMs: 400 })];

  expect(judgeBursts(run, [odd, odd]).check.verdict).toBe("inconclusive");
  expect(judgeBursts(run, [odd, odd, odd]).check).toMatchObject({
    verdict: "fail",
    reason:
      "run, 2002 requests in 400 ms: expected 1000 to 1040 accepted, the rest 429, got 1500 accepted, 502 with 429, 0 with another status",
  });
});

test("its figures are those of the answers", () => {
  const { figures } = judgeBursts(run, [[burst({})]]);
  expect(figures).toMatchObject({ scenario: "load/autocannon/burst-run", engine: "autocannon" });
  expect(figures.figures).toMatchObject({
    sent: 1_001,
    "duration ms": 200,
    "requests per second": 5_005,
    "latency ms p50": 2,
  });
});
