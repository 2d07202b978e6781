import { describe, expect, test } from "vitest";

import { runCommandLine } from "./program.ts";
import { fakeIo } from "./testing/fake-io.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

const elsewhere = ["--base-url", "http://192.0.2.1", "--endpoint", "e", "--api-key", "k"];

describe("load", () => {
  test.each([[], ["--yes"], ["--capability", "load"]])(
    "sends nothing to another machine without being asked twice: %s",
    async (...more) => {
      const io = fakeIo({ workingDirectory: temporaryDirectory() });
      const code = await runCommandLine(["load", ...elsewhere, ...more.flat()], io);
      expect(code).toBe(2);
      expect(io.errors()).toContain("load would be sent to http://192.0.2.1");
      expect(io.errors()).toMatch(/25 load checks: about \d+ requests/);
    },
  );

  test("prints its plan and sends nothing", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["load", "--dry-run", "--only", "CONC-*"], io)).toBe(0);
    expect(io.output()).toMatch(/^9 load checks: /);
    expect(io.output()).toContain("CONC-07  concurrency/cap-of-requests");
  });

  test("decides what was selected on the reference and leaves the rest", async () => {
    const io = fakeIo({ workingDirectory: temporaryDirectory() });
    const words = ["load", "--only", "CONC-05", "--format", "json"];
    expect(await runCommandLine(words, io)).toBe(0);
    expect(io.output()).toMatch(/^pass +CONC-05 +concurrency\/cap-of-cancel/m);
    expect(io.output()).toContain("1 passed, 0 failed, 0 inconclusive, 135 not run");
  });
});
