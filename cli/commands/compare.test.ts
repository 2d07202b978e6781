import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { requirementIds } from "../../openapi/requirements.ts";
import type { Report } from "../../reports/model.ts";
import { writeReports } from "../../reports/write.ts";
import { runCommandLine } from "../program.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import type { FakeIo } from "../../test/cli/fake-io.ts";
import { reportOf } from "../../test/cli/report.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";

async function ioWith(reports: Readonly<Record<string, Report>>): Promise<FakeIo> {
  const workingDirectory = temporaryDirectory();
  for (const [name, report] of Object.entries(reports)) {
    await writeReports(report, { directory: join(workingDirectory, name), formats: ["json"] });
  }
  return fakeIo({ workingDirectory });
}

const passing = reportOf({ "RUNA-01": "pass", "STAT-01": "pass" });
const failing = reportOf({ "RUNA-01": "fail", "STAT-01": "pass" });
const undecided = reportOf({ "RUNA-01": "inconclusive", "STAT-01": "pass" });
const untried = reportOf({ "STAT-01": "pass" });
const mayStayOpen = { allowed: ["RUNA-01"] } as const;
const allowed = reportOf({ "RUNA-01": "inconclusive", "STAT-01": "pass" }, [], mayStayOpen);

describe("compare", () => {
  test.each([
    { what: "no change", next: passing, more: [], exitCode: 0 },
    { what: "a regression", next: failing, more: [], exitCode: 1 },
    { what: "a verdict that was lost", next: undecided, more: [], exitCode: 4 },
    { what: "one that may stay open", next: allowed, more: [], exitCode: 0 },
    { what: "one that was not tried again", next: untried, more: [], exitCode: 0 },
    { what: "one that was required", next: undecided, more: ["--require", "RUNA-*"], exitCode: 4 },
    { what: "a regression first", next: failing, more: ["--require", "SYNC-05"], exitCode: 1 },
  ])("ends with $exitCode on $what", async ({ next, more, exitCode }) => {
    const io = await ioWith({ old: passing, new: next });
    const words = ["compare", "old/report.json", "new/report.json", ...more];
    expect(await runCommandLine(words, io)).toBe(exitCode);
    expect(io.errors()).toBe("");
  });

  test("--json is one object for a program", async () => {
    const io = await ioWith({ old: passing, new: failing });
    await runCommandLine(["compare", "old/report.json", "new/report.json", "--json"], io);
    expect(JSON.parse(io.output())).toMatchObject({
      schema: "queueproof-comparison/1",
      regression: true,
      newlyFailing: [{ id: "RUNA-01" }],
    });
  });

  test("a file that is missing, or a requirement that nobody has, is wrong usage", async () => {
    const io = await ioWith({ old: passing });
    expect(await runCommandLine(["compare", "old/report.json", "none.json"], io)).toBe(2);
    expect(io.errors()).toMatch(/^error: the report none\.json cannot be read/);
    const words = ["compare", "old/report.json", "old/report.json", "--require", "RUNA-99"];
    expect(await runCommandLine(words, io)).toBe(2);
    expect(io.errors()).toMatch(/--require RUNA-99 matches no requirement; did you mean "RUNA-0/);
  });
});

describe("verify", () => {
  test("a report as it was written is whole, and --json says so to a program", async () => {
    const io = await ioWith({ old: failing });
    expect(await runCommandLine(["verify", "old/report.json"], io)).toBe(0);
    expect(io.output()).toContain(
      `whole and untouched.\nRecomputed: ${requirementIds.length} requirements from 2 entries`,
    );
    await runCommandLine(["verify", "old/report.json", "--json"], io);
    expect(io.output()).toContain('"whole": true');
  });

  test("one that was touched is not, and whoever reads it otherwise is warned", async () => {
    const io = await ioWith({ old: failing });
    const path = join(io.workingDirectory, "touched.json");
    writeFileSync(path, JSON.stringify({ ...failing, seed: 8, integrity: digest }));
    expect(await runCommandLine(["verify", "touched.json"], io)).toBe(1);
    expect(io.output()).toMatch(/not whole and untouched:\n {2}\/integrity\/digest is not that/);
    expect(await runCommandLine(["compare", "old/report.json", "touched.json"], io)).toBe(0);
    expect(io.errors()).toMatch(/^warning: touched\.json was changed after it was written/);
  });

  test("one that was cut off is told as that", async () => {
    const io = await ioWith({});
    writeFileSync(join(io.workingDirectory, "cut.json"), '{"schema": "queueproof-report/1", "to');
    expect(await runCommandLine(["verify", "cut.json"], io)).toBe(1);
    expect(io.output()).toContain("the file is cut off after 37 characters");
    expect(await runCommandLine(["verify", "none.json"], io)).toBe(2);
  });
});

const digest = { algorithm: "sha-256", digest: "0".repeat(64) };
