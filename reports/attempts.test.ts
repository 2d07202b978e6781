import { describe, expect, test } from "vitest";
import { writeCtrf } from "./ctrf.ts";
import { writeHar } from "./har.ts";
import { writeHtml } from "./html/write-html.ts";
import { writeJson } from "./json.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";
import type { Writer } from "./model.ts";
import { hostileTexts } from "../test/reports/arbitrary-results.ts";
import { junitProblems, readPage } from "../test/reports/read-back.ts";
import { resultOf, sampleReport } from "../test/reports/sample-results.ts";
import { attemptLines } from "./groups.ts";
import { verifyReport } from "./verify.ts";

const attempts = [{ verdict: "inconclusive", reason: "came too late", durationMs: 3 }] as const;
const dropped = [{ request: "POST /v2/ep-1/run", error: "connection closed", times: 2 }];
const outages = [{ lastAnswerAtMs: 500, backAtMs: 2_500, check: "run/x", request: "GET /away" }];
const targetGone = { request: "POST /last", atMs: 3_200, reason: "connection refused" };
const report = sampleReport(
  [
    resultOf("run/tried", { covers: ["RUNA-01"], attempts, dropped }),
    resultOf("run/open", { covers: ["RUNA-02"], verdict: "inconclusive", reason: "open" }),
  ],
  { outages, targetGone, allowed: ["RUNA-02"] },
);

const writers: Readonly<Record<string, Writer>> = {
  ctrf: writeCtrf,
  html: writeHtml,
  json: writeJson,
  junit: writeJunit,
  md: writeMarkdown,
};

describe.each(Object.entries(writers))("%s", (_, write) => {
  const text = write(report);

  test("says of a pass what was tried before and what was sent again", () => {
    expect(text).toContain("came too late");
    expect(text).toContain("connection closed");
  });

  test("says when the target was away, and with which request it went", () => {
    expect(text).toContain("GET /away");
    expect(text).toContain("POST /last");
  });

  test("marks what may stay undecided", () => {
    expect(text).toMatch(/allowed/);
  });
});

const readByPeople = Object.entries(writers).filter(([format]) => format !== "json");

test.each(readByPeople)("%s begins with what was not decided", (_, write) => {
  expect(write(report)).toContain("1 was tried and not decided (allowed)");
});

test("report.har says when the target was away", () => {
  expect(writeHar(report)).toContain("GET /away");
});

test("a report with all of this is whole", () => {
  expect(verifyReport(writeJson(report), report.tool.version).problems).toEqual([]);
});

test("junit.xml counts as skipped what may stay undecided, and as an error what may not", () => {
  const may = writeJunit(report);
  expect(may).toMatch(/<skipped message="allowed to stay undecided: open"\/>/);
  expect(may).not.toContain("<error");
  const open = resultOf("run/open", { covers: ["RUNA-02"], verdict: "inconclusive" });
  expect(writeJunit(sampleReport([open]))).toContain("<error");
});

test("hostile texts stay texts", async () => {
  const results = hostileTexts.map((text, index) =>
    resultOf(`c${index}`, {
      covers: ["RUNA-01"],
      attempts: [{ verdict: "inconclusive", reason: text, durationMs: 1 }],
      dropped: [{ request: text, error: text, times: 1 }],
    }),
  );
  const hostile = sampleReport(results, {
    outages: hostileTexts.map((text) => ({
      lastAnswerAtMs: 0,
      backAtMs: 1,
      check: text,
      request: text,
    })),
    targetGone: { request: hostileTexts[0] ?? "", atMs: 1, reason: hostileTexts[1] ?? "" },
  });
  expect(await junitProblems(writeJunit(hostile))).toEqual([]);
  expect(readPage(writeHtml(hostile)).errors).toEqual([]);
  const lines = writeMarkdown(hostile).split("\n");
  expect(lines.filter((line) => /<(?!\/?details>|\/?summary>)/u.test(line))).toEqual([]);
});

test("how often a request went without an answer is told in words", () => {
  const once = { request: "GET /x", error: "reset", times: 1 };
  expect(attemptLines({ dropped: [once, { ...once, times: 2 }] })).toEqual([
    "GET /x got no answer once, and one when it was sent again: reset",
    "GET /x got no answer 2 times, and one when it was sent again: reset",
  ]);
});
