import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { runHook } from "./hook.ts";

test("a hook that ends well tells what it printed, and how long it took", async () => {
  const run = await runHook("restart", "echo one; echo two >&2");
  expect(run).toMatchObject({ name: "restart", output: "one\ntwo" });
  expect(run.failed).toBeUndefined();
});

test.each([
  ["exit 3", /its exit code was 3/],
  ["no-such-program-at-all", /its exit code was 127/],
  ["kill -9 $$", /SIGKILL ended it/],
])("%s is told as a failure", async (command, says) => {
  expect((await runHook("kill", command)).failed).toMatch(says);
});

test("a hook that hangs is ended with all that it started", async () => {
  const folder = temporaryDirectory();
  const pidFile = join(folder, "pid");
  const run = await runHook("start", `sleep 600 & echo $! > "${pidFile}"; wait`, { limitMs: 300 });
  expect(run.failed).toMatch(/had not ended after 0\.3 s, and was stopped/);
  const pid = Number(readFileSync(pidFile, "utf8"));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test("what a hook leaves running goes on, and may print", async () => {
  const folder = temporaryDirectory();
  const pidFile = join(folder, "pid");
  const server = "while true; do echo line; sleep 0.02; done";
  const run = await runHook("start", `(${server}) & echo $! > "${pidFile}"`);
  const pid = Number(readFileSync(pidFile, "utf8"));
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  expect(run.failed).toBeUndefined();
  expect(isRunning(pid)).toBe(true);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended and that nobody has asked for yet is not running.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
