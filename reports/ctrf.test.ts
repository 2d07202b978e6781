import { validateStrict } from "ctrf";
import { describe, expect, test } from "vitest";
import { requirementIds } from "../openapi/requirements.ts";
import { writeCtrf } from "./ctrf.ts";
import { sampleReport } from "../test/reports/sample-results.ts";

describe("ctrf.json", () => {
  test("is valid against the schema of CTRF", () => {
    const report: unknown = JSON.parse(writeCtrf(sampleReport()));

    expect(() => {
      validateStrict(report);
    }).not.toThrow();
    expect(() => {
      validateStrict({ reportFormat: "CTRF" });
    }).toThrow("results");
  });

  test("counts what is inconclusive as other and what was not run as skipped", () => {
    const tests = requirementIds.length;
    const text = writeCtrf(sampleReport());

    expect(JSON.parse(text)).toMatchObject({
      results: {
        summary: { tests, passed: 2, failed: 2, other: 2, skipped: tests - 6, pending: 0 },
      },
    });
    expect(text).toMatch(/"name": "CANC-02 [^"]+",\s*"status": "other"/u);
    expect(text).toMatch(/"name": "AUTH-05 [^"]+",\s*"status": "skipped"/u);
    expect(text).toMatch(/"name": "RUNA-03 [^"]+",\s*"status": "passed"/u);
  });
});
