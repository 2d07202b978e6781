import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { readGivenFile } from "./given-file.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { reportOf } from "../test/cli/report.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

describe.skipIf(process.platform === "win32")("a file that somebody names", () => {
  test("may be a pipe, however late its writer comes", () => {
    const path = join(temporaryDirectory(), "pipe");
    execFileSync("sh", ["-c", `mkfifo "$0"`, path]);
    const writer = spawn("sh", ["-c", `sleep 0.2; printf '{"a":1}' > "$0"`, path]);
    onTestFinished(() => void writer.kill());
    expect(readGivenFile(path).toString()).toBe('{"a":1}');
  });

  test.each(["--config", "--baseline", "--dialect", "--jobs", "--ca"])(
    "is no device, which would fill the memory: %s",
    async (option) => {
      const io = fakeIo({ workingDirectory: temporaryDirectory() });
      const words = ["contract", "--base-url", "http://127.0.0.1:9", "--endpoint", "e"];
      const code = await runCommandLine([...words, "--api-key", "a-key", option, "/dev/zero"], io);
      expect(code).toBe(2);
      expect(io.errors()).toContain("it is no file");
    },
  );

  test("is none in a report that is replayed, and what comes from it is told", async () => {
    const directory = temporaryDirectory();
    const report = { ...reportOf({ "HLTH-01": "fail" }), dialect: "ours" };
    const settings = { dialectFile: "/dev/zero" };
    writeFileSync(join(directory, "report.json"), JSON.stringify({ ...report, settings }));
    const io = fakeIo({
      workingDirectory: directory,
      environment: { QUEUEPROOF_API_KEY: "a-key" },
    });
    expect(await runCommandLine(["replay", "report.json", "HLTH-01"], io)).toBe(2);
    expect(io.errors()).toContain("it is no file");
  });
});

test("texts of a report of somebody else's act on no terminal", async () => {
  const directory = temporaryDirectory();
  const report = reportOf({ "HLTH-01": "fail" });
  const escape = "\u001B[2J\u202E";
  const target = { ...report.target, baseUrl: `http://a.test/${escape}` };
  const foreign = { ...report, target, dialect: `ours${escape}` };
  writeFileSync(join(directory, "report.json"), JSON.stringify(foreign));
  const io = fakeIo({ workingDirectory: directory });
  await runCommandLine(["report", "report.json", "--format", "md,junit"], io);
  expect(io.output() + io.errors()).not.toMatch(/[^\P{C}\n]/u);
  expect(io.output() + io.errors()).toContain("report.md");
});
