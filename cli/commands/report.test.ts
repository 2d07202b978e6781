import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommandLine } from "../program.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { reportOf } from "../../test/cli/report.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";

async function withReports(
  reports: Readonly<Record<string, unknown>>,
): Promise<ReturnType<typeof fakeIo>> {
  const workingDirectory = temporaryDirectory();
  for (const [name, report] of Object.entries(reports)) {
    await writeFile(join(workingDirectory, name), JSON.stringify(report));
  }
  return fakeIo({ workingDirectory });
}

describe("report", () => {
  test("writes one report in the formats that are asked for", async () => {
    const io = await withReports({ "a.json": reportOf({ "RUNA-01": "fail" }) });

    expect(
      await runCommandLine(["report", "a.json", "--report", "out", "--format", "md"], io),
    ).toBe(0);
    const text = await readFile(join(io.workingDirectory, "out", "report.md"), "utf8");
    expect(text).toContain("RUNA-01");
    expect(io.output()).toContain("1 failed");
  });

  test("merges two reports into one", async () => {
    const io = await withReports({
      "a.json": reportOf({ "RUNA-01": "pass" }),
      "b.json": reportOf({ "RUNA-02": "pass" }),
    });

    expect(await runCommandLine(["report", "a.json", "b.json", "--report", "out"], io)).toBe(0);
    expect(io.output()).toContain("Requirements: 2 passed");
  });

  test("repeats a failure from the file it stands in, wherever the report is written", async () => {
    const io = await withReports({
      "a b.json": reportOf({ "RUNA-01": "fail", "RUNA-02": "pass" }),
      "b.json": reportOf({ "RUNA-01": "pass", "RUNA-02": "fail" }),
    });

    expect(await runCommandLine(["report", "a b.json", "b.json", "--report", "out"], io)).toBe(0);
    const lines = [
      "npx queueproof replay 'a b.json' RUNA-01",
      "npx queueproof replay b.json RUNA-02",
    ];
    const text = await readFile(join(io.workingDirectory, "out", "report.md"), "utf8");
    for (const line of lines) {
      expect(io.output()).toContain(`repeat: ${line}\n`);
      expect(text).toContain(line);
    }
  });

  test.each([
    { files: ["none.json"], error: /the report none\.json cannot be read[\s\S]*ENOENT/ },
    { files: ["wrong.json"], error: /wrong\.json is not a report:[\s\S]*schema/ },
    { files: [], error: /report needs <files>/ },
  ])("refuses $files", async ({ files, error }) => {
    const io = await withReports({ "wrong.json": { tool: 1 } });

    expect(await runCommandLine(["report", ...files], io)).toBe(2);
    expect(io.errors()).toMatch(error);
  });
});
