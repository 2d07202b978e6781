import { describe, expect, test } from "vitest";

import { runCommandLine } from "../program.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";

describe("k6", () => {
  test("path ends with 3 where there is none, and says how to get one", async () => {
    const io = fakeIo();

    expect(await runCommandLine(["k6", "path"], io)).toBe(3);
    expect(io.errors()).toMatch(/no k6 on PATH.*queueproof k6 install/);
  });

  test("refuses another action", async () => {
    const io = fakeIo();

    expect(await runCommandLine(["k6", "fetch"], io)).toBe(2);
    expect(io.errors()).toContain('expected path or install, got "fetch"');
  });
});
