import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { parseReport } from "../reports/parse-report.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

describe("load", () => {
  test("prints its plan and sends nothing", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["load", "--dry-run", "--only", "CONC-*"], io)).toBe(0);
    expect(io.output()).toMatch(/^9 load checks$/m);
    expect(io.output()).toContain("CONC-07  concurrency/cap-of-requests");
  });

  test("sends no more than --max-jobs allows, and tells what did not fit and what was sent", async () => {
    const directory = temporaryDirectory();
    const io = fakeIo({ workingDirectory: directory });
    const words = ["load", "probe", "--only", "RATE-01,RATE-05", "--max-jobs", "1500"];
    expect(await runCommandLine([...words, "--format", "json,md", "--report", "r"], io)).toBe(0);

    const report = parseReport(readFileSync(join(directory, "r/report.json"), "utf8"), "r");
    const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
    expect([verdicts.get("RATE-01"), verdicts.get("RATE-05")]).toEqual(["not-run", "pass"]);
    const { reason = "" } = report.requirements.find(({ id }) => id === "RATE-01") ?? {};
    expect(reason).toMatch(/^takes up to \d+ jobs; \d+ of --max-jobs 1500 are left$/);
    const { run: jobs } = report.sent?.jobs ?? {};
    expect(Number(jobs)).toBeGreaterThan(300);
    expect(Number(jobs)).toBeLessThanOrEqual(1_500);
    expect(io.output()).toContain("1 takes more jobs than are left of 1500: `--max-jobs`");
  });

  test("plans jobs by operation, and says what a limit leaves out", async () => {
    const io = fakeIo();
    const words = [
      "load",
      "probe",
      "--dry-run",
      "--only",
      "RATE-01,RATE-02",
      "--max-requests",
      "9",
    ];
    expect(await runCommandLine(words, io)).toBe(0);
    expect(io.output()).toMatch(/^  jobs {7}up to \d+ \(runsync \d+, run \d+\);/m);
    expect(io.output()).toContain(
      "no more    than 9 requests (--max-requests); what does not fit is not run",
    );
  });

  test("decides what was selected on the reference and leaves the rest", async () => {
    const io = fakeIo({ workingDirectory: temporaryDirectory() });
    const words = ["load", "--only", "CONC-05", "--format", "json", "--verbose"];
    expect(await runCommandLine(words, io)).toBe(0);
    expect(io.output()).toMatch(/^pass +CONC-05 +concurrency\/cap-of-cancel/m);
    expect(io.output()).toContain("1 passed, 0 failed, 0 inconclusive, 135 not run");
  });
});
