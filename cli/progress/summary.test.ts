import { describe, expect, test } from "vitest";
import { repeatLinesFor } from "../../reports/repeat-line.ts";
import type { CheckResult, Evidence } from "../../reports/model.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { reportOf } from "../../test/cli/report.ts";
import { summaryText } from "./summary.ts";

const exchange: Evidence = {
  request: { method: "POST", url: "http://a.test/v2/e/run", headers: {}, body: {} },
  response: { status: 200, headers: {}, body: {} },
  atMs: 0,
  curl: "curl -X POST http://a.test/v2/e/run",
};

const failing: CheckResult = {
  name: "run/answers-at-once",
  covers: ["RUNA-01"],
  verdict: "fail",
  durationMs: 5,
  mismatches: [
    { requirement: "RUNA-01", at: "run /status", expected: "IN_QUEUE", got: "DONE\u001B[2J" },
  ],
  evidence: [exchange],
};

const repeatLineOf = repeatLinesFor({ directory: "/r/reports/latest", formats: ["json"] }, "/r");

describe("the summary", () => {
  const report = reportOf({ "STAT-01": "pass", "SYNC-05": "inconclusive" }, [failing]);
  const text = summaryText(
    { report, paths: ["/r/report.html"], remarks: [], repeatLineOf },
    fakeIo(),
  );

  test("shows of a failure where, what was expected, what came and how to repeat it", () => {
    expect(text).toMatch(/^fail RUNA-01 {2}run answers at once/m);
    expect(text).toMatch(/run \/status\n +expected IN_QUEUE\n +got +DONE/);
    expect(text).toContain("repeat: npx queueproof replay reports/latest/report.json RUNA-01\n");
  });

  test("says how to have a line that repeats, where no report.json is written", () => {
    const input = { report, paths: [], remarks: [], repeatLineOf: () => undefined };
    const shown = summaryText(input, fakeIo());
    expect(shown).not.toContain("repeat:");
    expect(shown).toContain("add json to --format");
  });

  test("shows each failure once, in six lines at most", () => {
    const [mismatch] = failing.mismatches ?? [];
    if (mismatch === undefined) throw new Error("nothing differs");
    const many = { ...failing, mismatches: Array.from({ length: 9 }, () => mismatch) };
    const twice = reportOf({}, [many, { ...many, name: "run/other" }]);
    const shown = summaryText({ report: twice, paths: [], remarks: [], repeatLineOf }, fakeIo());
    const failure = shown.split("\n\n").find((part) => /^\n?fail /.test(part)) ?? "";
    expect(failure.trim().split("\n")).toHaveLength(6);
    expect(failure).toContain(
      "check run/answers-at-once (8 more differences and 1 more check in the report)",
    );
    expect(shown.match(/^fail /gm)).toHaveLength(1);
  });

  test("says of the rest why it was not decided", () => {
    expect(text).toMatch(/inconclusive SYNC-05 .*\n {2}inconclusive for a reason/);
    expect(text).toMatch(/Not run:\n {2}133 requirements in \d+ areas: no check covers it/);
  });

  test("tells a reason that many share once, with the requirements it stands for", () => {
    const many = reportOf({
      "RUNA-01": "inconclusive",
      "RUNA-02": "inconclusive",
      "STAT-01": "inconclusive",
    });
    const input = { report: many, paths: [], remarks: [], repeatLineOf };
    expect(summaryText(input, fakeIo())).toContain(
      "inconclusive 3 requirements: inconclusive for a reason\n  RUNA-01, RUNA-02, STAT-01\n",
    );
  });

  test("marks what may stay undecided", () => {
    const open = reportOf({ "RUNA-01": "pass", "SYNC-05": "inconclusive" }, [], {
      allowed: ["SYNC-05"],
    });
    const shown = summaryText({ report: open, paths: [], remarks: [], repeatLineOf }, fakeIo());
    expect(shown).toMatch(/^inconclusive \(allowed\) SYNC-05 /m);
  });

  test("says what was tried or sent again, and when the target was away", () => {
    const attempts = [{ verdict: "inconclusive", reason: "late\u001B[2J", durationMs: 3 }] as const;
    const dropped = [{ request: "POST /v2/e/run", error: "closed", times: 2 }];
    const passing = { ...failing, verdict: "pass", mismatches: [], attempts, dropped } as const;
    const away = reportOf({}, [passing], {
      outages: [{ lastAnswerAtMs: 500, backAtMs: 2_500, check: "a/b", request: "GET /x" }],
      targetGone: { request: "POST /y\u001B", atMs: 3_200, reason: "refused" },
    });
    const shown = summaryText({ report: away, paths: [], remarks: [], repeatLineOf }, fakeIo());
    expect(shown).toContain("  run/answers-at-once: try 1 was inconclusive: late");
    expect(shown).toContain("POST /v2/e/run got no answer 2 times, and one when it was sent again");
    expect(shown).toContain("from 500 ms to 2.5 s after the start: it went away at GET /x");
    expect(shown).toContain("The target is gone: POST /y , sent 3.2 s after the start");
    expect(shown).not.toContain("\u001B");
  });

  test("ends with the verdict, the counts and the files", () => {
    expect(text).toMatch(/Requirements: 1 passed, 1 failed, 1 inconclusive, 133 not run\./);
    expect(text).toMatch(/seed 7; 1\.2 s\./);
    expect(text.trimEnd()).toMatch(/Report:\n {2}\/r\/report\.html$/);
  });

  test("lets no control character of the target through", () => {
    expect(text).not.toContain("\u001B");
  });
});
