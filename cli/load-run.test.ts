import { describe, expect, test } from "vitest";

import { runCommandLine } from "./program.ts";
import { fakeIo } from "./testing/fake-io.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

describe("load", () => {
  test("prints its plan and sends nothing", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["load", "--dry-run", "--only", "CONC-*"], io)).toBe(0);
    expect(io.output()).toMatch(/^9 load checks$/m);
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
