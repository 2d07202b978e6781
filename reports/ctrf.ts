import type { CTRFReport, Test, TestStatus } from "ctrf";
import { casesOf, type Case } from "./cases.ts";
import type { RepeatLineOf, Report } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { noRepeatLine } from "./repeat-line.ts";
import { verdictSentence } from "./sentence.ts";

/** CTRF has no status for inconclusive, so it becomes `other`; not-run becomes `skipped`. */
const statusOf: Readonly<Record<Verdict, TestStatus>> = {
  pass: "passed",
  fail: "failed",
  inconclusive: "other",
  "not-run": "skipped",
};

/** Writes ctrf.json (Common Test Report Format): one test for each requirement. */
export function writeCtrf(report: Report, repeatLineOf: RepeatLineOf = noRepeatLine): string {
  return `${JSON.stringify(ctrfOf(report, repeatLineOf), null, 2)}\n`;
}

function ctrfOf(report: Report, repeatLineOf: RepeatLineOf): CTRFReport {
  const cases = casesOf(report, repeatLineOf);
  const tests = cases.map(testOf);
  const count = (wanted: TestStatus): number =>
    tests.filter(({ status }) => status === wanted).length;
  const { target, profiles, targetGone, outages, seed, command, dialect, deviations } = report;
  const startMs = Date.parse(report.startedAt);
  return {
    reportFormat: "CTRF",
    specVersion: "0.0.0",
    timestamp: report.startedAt,
    generatedBy: "queueproof",
    results: {
      tool: { name: "queueproof", version: report.tool.version },
      summary: {
        tests: cases.length,
        passed: count("passed"),
        failed: count("failed"),
        skipped: count("skipped"),
        pending: 0,
        other: count("other"),
        start: startMs,
        stop: startMs + Math.round(report.durationMs),
      },
      tests,
      environment: {
        testEnvironment: target.baseUrl,
        extra: {
          ...target,
          summary: verdictSentence(report),
          profiles,
          targetGone,
          outages,
          seed,
          command,
          dialect,
          deviations,
        },
      },
    },
  };
}

function testOf({ requirement, durationMs, message, details, remarks }: Case): Test {
  const { id, area, level, text, verdict, reading, allowed, known } = requirement;
  const isKnown = verdict === "fail" && known !== undefined;
  return {
    name: `${id} ${text}`,
    status: isKnown ? "skipped" : statusOf[verdict],
    duration: Math.round(durationMs),
    suite: [area, id],
    rawStatus: verdict,
    tags: [level],
    ...(message !== "" && { message }),
    ...(details !== "" && { trace: details }),
    extra: {
      requirement: id,
      reading,
      allowed,
      known,
      ...(remarks.length > 0 && { tries: remarks }),
    },
  };
}
