import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { root } from "../../test/project.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { describeError } from "../errors.ts";
import { runCommandLine } from "../program.ts";
import { readHandler } from "./handler-file.ts";

async function handlerIn(name: string, text: string): Promise<unknown> {
  const workingDirectory = temporaryDirectory();
  writeFileSync(join(workingDirectory, name), text);
  return readHandler(name, fakeIo({ workingDirectory }));
}

describe("the file of a handler", () => {
  test("is a table, with durations in words", async () => {
    const rows = [
      { input: { a: 1 }, chunks: ["x"], every: "1s" },
      { error: "no", delay: "300ms" },
    ];
    expect(await handlerIn("h.json", JSON.stringify(rows))).toEqual([
      { input: { a: 1 }, chunks: ["x"], everyMs: 1000 },
      { error: "no", delayMs: 300 },
    ]);
  });

  test("is a module with a function", async () => {
    const path = join(root, "examples/test-double/handler.mjs");
    expect(await readHandler(path, fakeIo())).toBeTypeOf("function");
  });

  test.each([
    ["{}", /expected a list of one or more rows/],
    ["[]", /expected a list of one or more rows/],
    ['[{"ouput": 1}]', /\/0\/ouput/],
    ['[{"output": 1, "error": "no"}]', /\/0: expected output or error, got both/],
    ['[{"every": "1s"}]', /\/0\/every: expected none without chunks/],
    ['[{"delay": "soon"}]', /\/0\/delay: expected a duration/],
    ["[", /is not JSON/],
  ])("is refused as a table: %s", async (text, expected) => {
    const error: unknown = await handlerIn("h.json", text).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "WRONG_USAGE" });
    expect(describeError(error).lines.join("\n")).toMatch(expected);
  });

  test.each([
    ["export default 1;", /is not a handler/],
    ["export default (", /cannot be loaded/],
  ])("is refused as a module: %s", async (text, expected) => {
    await expect(handlerIn("h.mjs", text)).rejects.toThrow(expected);
  });

  test("is not named by a config file, which would name code to run", async () => {
    const workingDirectory = temporaryDirectory();
    writeFileSync(join(workingDirectory, "queueproof.config.json"), '{"handler": "h.mjs"}');
    const io = fakeIo({ workingDirectory });
    expect(await runCommandLine(["serve"], io)).toBe(2);
    expect(io.errors()).toContain("/handler: give --handler on the command line");
  });
});
