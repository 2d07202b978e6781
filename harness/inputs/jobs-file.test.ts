import { describe, expect, test } from "vitest";

import { kindsOf, parseJobs } from "./jobs-file.ts";

const slow = { input: { prompt: "a long story" }, atLeastMs: 8000, atMostMs: 60_000 };

describe("a jobs file", () => {
  test("gives every kind it names, with defaults where it says nothing", () => {
    const parsed = parseJobs({
      quick: { input: { prompt: "hello" }, atMostMs: 5000 },
      slow,
      failing: { input: { prompt: null } },
      known: { input: { prompt: "2+2" }, output: { answer: 4 } },
      streaming: { input: { prompt: "count" } },
    });
    expect(parsed).toMatchObject({
      ok: true,
      jobs: {
        slow,
        failing: { atMostMs: 5000 },
        known: [{ output: { answer: 4 }, atMostMs: 5000 }],
        streaming: { chunksAtLeast: 1, atMostMs: 30_000 },
      },
    });
    expect(parsed.ok && kindsOf(parsed.jobs)).toEqual([
      "quick",
      "slow",
      "failing",
      "known",
      "streaming",
    ]);
  });

  test("offers a quick job where it names a known one alone", () => {
    const parsed = parseJobs({ known: [{ input: { a: 1 }, output: [] }] });
    expect(parsed.ok && parsed.jobs.quick).toMatchObject({ input: { a: 1 }, atMostMs: 30_000 });
  });

  const big = "x".repeat(10_000_000);
  test.each([
    [[], "/: expected a JSON object, got a list"],
    [{ quik: { input: {} } }, "/quik is not one of quick, slow, failing, known, streaming"],
    [
      { quick: { input: "hello" } },
      "/quick/input: expected an input for your handler, a JSON object",
    ],
    [{ slow: { input: {}, atMostMs: 1 } }, "/slow/atLeastMs is missing"],
    [{ slow: { ...slow, atLeastMs: 0 } }, "/slow/atLeastMs: expected a number of milliseconds"],
    [{ slow: { ...slow, atLeastMs: 90_000 } }, "/slow/atLeastMs: expected at most atMostMs, 60000"],
    [{ known: [] }, "/known: expected a job of known output, or a list of them"],
    [
      { known: [1, 2].map((a) => ({ input: { a }, output: { same: true } })) },
      "/known/1/output is the same as that of /known/0",
    ],
    [{ quick: { input: { big } } }, "/quick/input is too large"],
  ])("is refused with the place of what is wrong: %#", (value, problem) => {
    const parsed = parseJobs(value);
    expect(parsed.ok ? [] : parsed.problems.join("\n")).toContain(problem);
  });
});
