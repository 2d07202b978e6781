import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { lockReportFolder } from "./report-lock.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

test("a folder holds one run, and is free after it", () => {
  const directory = temporaryDirectory();
  const lock = lockReportFolder(directory);
  expect(() => lockReportFolder(directory)).toThrow(
    `holds the report of a run that has not ended: process ${process.pid} on ${hostname()}`,
  );
  lock.release();
  expect(readdirSync(directory)).toEqual([]);
  lockReportFolder(directory).release();
});

test("what an ended process has left behind counts for nothing", () => {
  const directory = temporaryDirectory();
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  writeFileSync(join(directory, ".queueproof-run"), `${pid} ${hostname()}`);
  lockReportFolder(directory).release();
  expect(readdirSync(directory)).toEqual([]);
});

test("what a process of another machine holds is not taken from it", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, ".queueproof-run"), "1 another-machine");
  expect(() => lockReportFolder(directory)).toThrow("process 1 on another-machine");
  expect(readdirSync(directory)).toEqual([".queueproof-run"]);
});
