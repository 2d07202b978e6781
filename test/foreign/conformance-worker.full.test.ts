import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { startEmulator } from "./emulator.ts";
import { pythonWithRunpod } from "./python.ts";
import { conformanceScript } from "./python.ts";
import { startWorker } from "./worker.ts";

const { missing, path } = pythonWithRunpod();
const directory = fileURLToPath(new URL("../../worker", import.meta.url));

describe.skipIf(missing !== "")(`the conformance handler ${missing}`, () => {
  test("passes its own test", async () => {
    const words = ["-m", "unittest", "discover", "-s", directory, "-p", "*_test.py"];
    const { stderr } = await promisify(execFile)(path, words);
    expect(stderr).toMatch(/Ran [1-9]\d* tests[\s\S]*OK/);
  });

  test.each(["plain", "stream"])(
    "streams as a worker, started as %s",
    async (mode) => {
      const emulator = await startEmulator();
      const environment = { CONFORMANCE_MODE: mode };
      startWorker(emulator.reference, { script: conformanceScript, environment });
      const id = await emulator.submit({ op: "stream", count: 3, intervalMs: 10 });
      const output = [{ index: 0 }, { index: 1 }, { index: 2 }];
      expect(await emulator.ended(id)).toMatchObject({ status: "COMPLETED", output });
      const { body } = await emulator.call("GET", `/stream/${id}`);
      expect(body["stream"]).toEqual(output.map((chunk) => ({ output: chunk })));
      const echo = await emulator.ended(await emulator.submit({ op: "echo", value: 1 }));
      expect(echo["output"]).toEqual(mode === "plain" ? { value: 1 } : [{ value: 1 }]);
    },
    60_000,
  );

  test("is told the attempt and the storage, and a retry is another attempt", async () => {
    const emulator = await startEmulator();
    startWorker(emulator.reference, { script: conformanceScript });
    const id = await emulator.submit({ op: "flaky", failures: 1, value: 5 });
    expect(await emulator.ended(id)).toMatchObject({ status: "FAILED" });
    await emulator.call("POST", `/retry/${id}`);
    expect(await emulator.ended(id)).toMatchObject({ output: { value: 5, attempt: 2 } });
  });
});
