import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { startCommand } from "./testing/command.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

test.each([0, 3, 6, 9])("a signal %i ms after the last line ends no run by itself", async (ms) => {
  const run = startCommand(["contract", "--only", "ENDP-01"], temporaryDirectory());
  await run.printed(/badge\.svg/);
  await sleep(ms);
  run.kill("SIGINT");
  expect(await run.exit).toMatchObject({ exitCode: 0 });
});

test("a signal that comes twice while the program loads is one: a report is written", async () => {
  // The process sends itself both as soon as it listens.
  const twice = `process.on("newListener", function listen(name) {
    if (name !== "SIGINT") return;
    process.off("newListener", listen);
    const send = () => process.kill(process.pid, "SIGINT");
    setImmediate(() => { send(); setImmediate(send); });
  });`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(twice)}`;
  const directory = temporaryDirectory();
  const run = startCommand(["contract"], directory, { NODE_OPTIONS: preload });
  expect(await run.exit).toMatchObject({ exitCode: 130 });
  expect(existsSync(join(directory, "reports/latest/report.json"))).toBe(true);
});
