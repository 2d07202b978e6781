import { describe, expect, test } from "vitest";
import { requirementIds } from "../openapi/requirements.ts";
import { writeJunit } from "./junit.ts";
import { hostileMegabyte, hostileTexts } from "../test/reports/arbitrary-results.ts";
import { junitProblems } from "../test/reports/read-back.ts";
import { resultOf, sampleReport } from "../test/reports/sample-results.ts";

describe("junit.xml", () => {
  test("tells failure, error and skipped apart, each with its message", () => {
    const xml = writeJunit(sampleReport());

    expect(xml.match(/<testcase /gu)).toHaveLength(requirementIds.length);
    expect(xml).toMatch(
      /<testcase name="[^"]+" classname="queueproof\.auth\.AUTH-01" time="[^"]+"/u,
    );
    expect(xml).toMatch(
      /classname="queueproof\.run\.RUNA-01" time="0\.007">\s*<failure type="mismatch" message="run \/status: expected IN_QUEUE, got COMPLETED">/u,
    );
    expect(xml).toMatch(
      /classname="queueproof\.cancel\.CANC-02"[^>]*>\s*<error type="inconclusive" message="the clock of the target is too coarse: 1 s">[^<]*check cancel\/frees-worker/u,
    );
    expect(xml).toMatch(
      /classname="queueproof\.auth\.AUTH-05"[^>]*>\s*<skipped message="the target does not offer foreignKey"\/>/u,
    );
    expect(xml).toMatch(
      /classname="queueproof\.rate\.RATE-01"[^>]*>\s*<skipped message="no check covers it"\/>/u,
    );
    expect(xml).toContain("RUNA-03 reading: 413");
  });

  test("is valid against the rules of Jenkins and Ant", async () => {
    expect(await junitProblems(writeJunit(sampleReport()))).toEqual([]);
  });

  test("would be found invalid where it is wrong", async () => {
    const broken = writeJunit(sampleReport()).replace("<failure type=", "<failure kind=");
    expect(await junitProblems(broken)).not.toEqual([]);
  });

  test("stays valid and shows all checks with names and texts of any kind", async () => {
    const results = [...hostileTexts, hostileMegabyte].map((text) =>
      resultOf(text, {
        covers: ["RUNA-01"],
        verdict: "fail",
        reason: text,
        mismatches: [{ requirement: "RUNA-01", at: text, expected: text, got: text }],
      }),
    );
    const xml = writeJunit(sampleReport(results));

    expect(await junitProblems(xml)).toEqual([]);
    expect(xml.match(/classname="queueproof\.run\.RUNA-01"/gu)).toHaveLength(1);
  });
});
