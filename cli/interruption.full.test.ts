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
