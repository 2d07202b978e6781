import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startCommand } from "../testing/command.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

describe("faults", () => {
  test("writes the matrix, finds it current, and finds it stale", async () => {
    const directory = temporaryDirectory();
    const words = ["faults", "--only", "cancel/waits-for-the-handler", "--out", "matrix.md"];
    const written = await startCommand(words, directory).exit;
    expect(written).toEqual({
      exitCode: 0,
      output: "1 faults, 1 killed, 0 survived; 0 checks, 0 proved\n",
      errors: "",
    });
    const page = readFileSync(join(directory, "matrix.md"), "utf8");
    expect(page).toContain("| `cancel/waits-for-the-handler` |");

    expect(await startCommand([...words, "--check"], directory).exit).toMatchObject({
      exitCode: 0,
    });
    appendFileSync(join(directory, "matrix.md"), "more");
    const stale = await startCommand([...words, "--check"], directory).exit;
    expect(stale).toMatchObject({ exitCode: 1 });
    expect(stale.output).toContain("matrix.md is out of date");
    expect(readFileSync(join(directory, "matrix.md"), "utf8")).toBe(`${page}more`);
  });

  test("runs a permitted variation", async () => {
    const words = ["faults", "--variations", "--only", "errors/body-is-empty"];
    const ended = await startCommand(words, temporaryDirectory()).exit;
    expect(ended).toEqual({
      exitCode: 0,
      output: "1 permitted variations, 1 without a failure\n",
      errors: "",
    });
  });
});
