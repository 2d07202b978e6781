import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { writeJson } from "./json.ts";
import { sampleReport } from "../test/reports/sample-results.ts";
import { reportFormats } from "./report-formats.ts";
import { ReportWriteError, writeReports } from "./write.ts";

async function freshDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "queueproof-reports-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

describe("writing reports", () => {
  test("makes the directory, uses the fixed names and leaves nothing else behind", async () => {
    const directory = path.join(await freshDirectory(), "a", "b");
    const written = await writeReports(sampleReport(), { directory, formats: reportFormats });

    const names = [
      "report.html",
      "junit.xml",
      "report.json",
      "report.md",
      "report.har",
      "ctrf.json",
      "badge.svg",
    ];
    expect(written).toEqual(names.map((name) => path.join(directory, name)));
    expect((await readdir(directory)).toSorted()).toEqual(names.toSorted());
  });

  test("replaces an earlier report and leaves other formats alone", async () => {
    const directory = await freshDirectory();
    await writeFile(path.join(directory, "report.json"), "old");
    await writeFile(path.join(directory, "junit.xml"), "old");
    await writeReports(sampleReport(), { directory, formats: ["json"] });

    expect(await readFile(path.join(directory, "report.json"), "utf8")).toBe(
      writeJson(sampleReport()),
    );
    expect(await readFile(path.join(directory, "junit.xml"), "utf8")).toBe("old");
  });

  test("says which directory cannot be used, and what to do", async () => {
    const file = path.join(await freshDirectory(), "file");
    await writeFile(file, "");
    const failure = writeReports(sampleReport(), { directory: file, formats: ["json"] });

    await expect(failure).rejects.toThrow(ReportWriteError);
    await expect(failure).rejects.toMatchObject({
      code: "REPORT_DIRECTORY",
      path: file,
      hint: "Give a directory that can be written to with --report DIR.",
    });
  });

  test.skipIf(!existsSync("/proc/self"))(
    "gives up on a file system that makes no directories",
    async () => {
      const failure = writeReports(sampleReport(), { directory: "/proc/a/b", formats: ["json"] });

      await expect(failure).rejects.toMatchObject({ code: "REPORT_DIRECTORY" });
    },
  );

  test("says which file cannot be replaced, and takes its temporary one away", async () => {
    const directory = await freshDirectory();
    await mkdir(path.join(directory, "report.json"));
    const failure = writeReports(sampleReport(), { directory, formats: ["json"] });

    await expect(failure).rejects.toMatchObject({
      code: "REPORT_FILE",
      path: path.join(directory, "report.json"),
    });
    expect(await readdir(directory)).toEqual(["report.json"]);
  });
});
