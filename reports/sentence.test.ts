import { describe, expect, test } from "vitest";
import { requirementIds } from "../openapi/requirements.ts";
import type { Report } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { cleanedUpText, overallOf, sentText, verdictSentence } from "./sentence.ts";
import { resultOf, sampleReport } from "../test/reports/sample-results.ts";

const total = requirementIds.length;

/** Makes a report in which the first requirements have these verdicts. */
function reportOf(
  verdicts: readonly Verdict[],
  rest: Parameters<typeof sampleReport>[1] = {},
): Report {
  const results = verdicts.map((verdict, index) =>
    resultOf(`c${index}`, { covers: requirementIds.slice(index, index + 1), verdict }),
  );
  return sampleReport(results, rest);
}

describe("the first sentence", () => {
  test.each<{ verdicts: readonly Verdict[]; says: string }>([
    {
      verdicts: ["pass"],
      says: `1 of ${total} holds, none is broken, ${total - 1} were not tried.`,
    },
    {
      verdicts: ["pass", "pass", "fail", "inconclusive"],
      says: `2 of ${total} hold, 1 is broken, 1 was tried and not decided, ${total - 4} were not tried.`,
    },
    {
      verdicts: ["fail", "fail", "inconclusive", "inconclusive"],
      says: `0 of ${total} hold, 2 are broken, 2 were tried and not decided, ${total - 4} were not tried.`,
    },
    {
      verdicts: Array.from({ length: total - 1 }, () => "pass"),
      says: `${total - 1} of ${total} hold, none is broken, 1 was not tried.`,
    },
    {
      verdicts: Array.from({ length: total }, () => "pass"),
      says: `${total} of ${total} hold, none is broken.`,
    },
    {
      verdicts: ["inconclusive"],
      says: `Nothing was decided about the target: of ${total} requirements 1 was tried and not decided, ${total - 1} were not tried.`,
    },
  ])("says $says", ({ verdicts, says }) => {
    expect(verdictSentence(reportOf(verdicts))).toBe(says);
  });

  test("says what of it is allowed", () => {
    const [, second, third] = requirementIds;
    if (second === undefined || third === undefined) throw new Error("too few requirements");
    const open = ["pass", "inconclusive", "inconclusive"] as const;
    const one = reportOf(open, { allowed: [second] });
    expect(verdictSentence(one)).toContain("2 were tried and not decided (1 of them allowed)");
    const both = reportOf(open, { allowed: [second, third] });
    expect(verdictSentence(both)).toContain("2 were tried and not decided (allowed)");
  });

  test("says that the target was away, and that it is gone", () => {
    const outage = { lastAnswerAtMs: 5, backAtMs: 905, check: "a/b", request: "GET /x" };
    const targetGone = { request: "POST /y", atMs: 1_200, reason: "refused" };
    expect(verdictSentence(reportOf(["pass"], { outages: [outage] }))).toContain(
      "The target went away and came back once.",
    );
    expect(verdictSentence(reportOf(["pass"], { outages: [outage, outage], targetGone }))).toMatch(
      / The target went away and came back 2 times\. The target stopped answering 1\.2 s after the start\.$/,
    );
  });
});

describe("as a whole a report", () => {
  const targetGone = { request: "GET /x", atMs: 1, reason: "refused" };
  const [, second] = requirementIds;
  test.each<{ what: string; report: Report; overall: string }>([
    { what: "that passes", report: reportOf(["pass"]), overall: "passed" },
    { what: "with a failure", report: reportOf(["fail", "inconclusive"]), overall: "failed" },
    { what: "without anything", report: reportOf([]), overall: "undecided" },
    { what: "with an open one", report: reportOf(["pass", "inconclusive"]), overall: "undecided" },
    {
      what: "with an open one that may be",
      report: reportOf(["pass", "inconclusive"], { allowed: second === undefined ? [] : [second] }),
      overall: "undecided",
    },
    {
      what: "whose target is gone",
      report: reportOf(["pass"], { targetGone }),
      overall: "undecided",
    },
  ])("$what is $overall", ({ report, overall }) => {
    expect(overallOf(report)).toBe(overall);
  });
});

describe("what load left and sent", () => {
  test.each<[Report["cleanedUp"], string]>([
    [undefined, ""],
    [{ purged: 1, cancelled: 3, left: 0 }, "1 job purged, 3 cancelled; no job waits or works"],
    [
      { purged: 0, cancelled: 0, left: 1 },
      "0 jobs purged, 0 cancelled; 1 job still waits or works: purge the queue or wait until the end",
    ],
    [
      { purged: 2, cancelled: 0 },
      "2 jobs purged, 0 cancelled; health does not tell whether any is left",
    ],
  ])("%o is told", (cleanedUp, says) => {
    expect(cleanedUpText(reportOf([], { cleanedUp }))).toBe(says);
  });

  test("by operation, the most first", () => {
    const sent = { requests: { run: 3, status: 20 }, jobs: { run: 2 } };
    expect(sentText(reportOf([], { sent }))).toBe("23 requests (status 20, run 3), 2 jobs (run 2)");
  });
});
