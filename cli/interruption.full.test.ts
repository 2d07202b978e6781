import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished, test } from "vitest";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

test.each([0, 3, 6, 9])("a signal %i ms after the last line ends no run by itself", async (ms) => {
  const cwd = await mkdtemp(join(tmpdir(), "queueproof-end-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const words = [main, "contract", "--only", "ENDP-01"];
  const child = spawn(process.execPath, words, { cwd, stdio: ["ignore", "pipe", "ignore"] });
  const exit = once(child, "exit");
  let printed = "";
  for await (const text of child.stdout.setEncoding("utf8")) {
    printed += String(text);
    if (printed.includes("badge.svg")) break;
  }
  await sleep(ms);
  child.kill("SIGINT");
  expect(await exit).toEqual([0, null]);
});
