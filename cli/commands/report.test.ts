import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommandLine } from "../program.ts";
import { fakeIo } from "../testing/fake-io.ts";
import { reportOf } from "../testing/report.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

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

  test.each([
    { files: ["none.json"], error: /The report none\.json cannot be read[\s\S]*ENOENT/ },
    { files: ["wrong.json"], error: /wrong\.json is not a report:[\s\S]*schema/ },
    { files: [], error: /missing required argument/ },
  ])("refuses $files", async ({ files, error }) => {
    const io = await withReports({ "wrong.json": { tool: 1 } });

    expect(await runCommandLine(["report", ...files], io)).toBe(2);
    expect(io.errors()).toMatch(error);
  });
});
