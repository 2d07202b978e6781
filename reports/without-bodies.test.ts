import { expect, test } from "vitest";

import { writeHtml } from "./html/write-html.ts";
import { writeHar } from "./har.ts";
import { writeJson } from "./json.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";
import { parseReport } from "./parse-report.ts";
import { resultOf, sampleReport } from "../test/reports/sample-results.ts";
import { withoutBodies } from "./without-bodies.ts";

const secret = "the patient's name";

function reportWith(got: string): ReturnType<typeof sampleReport> {
  const body = { input: { name: secret } };
  const request = { method: "POST", url: "http://a.test/v2/e/run", headers: {}, body };
  const response = { status: 200, headers: {}, body: { output: secret } };
  const evidence = [{ request, response, atMs: 0, curl: `curl --data-raw '${secret}'` }];
  const mismatches = [
    { requirement: "SUBM-04", at: "run", expected: secret, got, exchange: 0 },
  ] as const;
  const reason = `run: expected ${secret}, got ${got}`;
  const failed = {
    verdict: "fail",
    mismatches,
    evidence,
    reason,
    script: `echo ${secret}`,
    printed: [`working on ${secret}`],
  } as const;
  const figures = { name: "a", runs: 1, firstMs: 1, laterMs: null, resultBytes: 1 };
  const tests = [{ ...figures, outcome: `FAILED: ${secret}` }];
  return sampleReport([resultOf("c", { covers: ["SUBM-04"], ...failed })], {
    worker: { coldStartMs: 1, tests, memoryBytes: [] },
  });
}

test.each([
  [`status 200, {"output":"${secret}"}`, "status 200, [left out]"],
  [secret, "[left out]"],
  ["COMPLETED", "COMPLETED"],
  ["413", "413"],
  ["status 404, no body", "status 404, no body"],
])("no format holds inputs or outputs: %s", (got, shown) => {
  const report = withoutBodies(reportWith(got));
  expect(() => parseReport(writeJson(report), "report.json")).not.toThrow();
  for (const write of [writeJson, writeHtml, writeJunit, writeMarkdown, writeHar]) {
    expect(write(report)).not.toContain("patient");
  }
  const broken = report.requirements.find(({ id }) => id === "SUBM-04");
  expect(broken?.checks[0]?.mismatches?.[0]?.got).toBe(shown);
});
