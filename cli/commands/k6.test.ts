import { describe, expect, test } from "vitest";

import { runCommandLine } from "../program.ts";
import { fakeIo } from "../testing/fake-io.ts";
import { realK6 } from "../../load/k6/testing/real-k6.ts";

const { k6, reason } = await realK6();

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

  test.skipIf(k6 === undefined).each(["path", "install"])(
    `%s prints the one that is there${reason && ` (${reason})`}`,
    async (action) => {
      const io = fakeIo({ environment: { K6_PATH: k6?.path } });

      expect(await runCommandLine(["k6", action], io)).toBe(0);
      expect(io.output()).toBe(`${k6?.path}\n`);
    },
  );
});
