import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blockWith } from "../../test/docs/pages.ts";
import { readersDirectory, runLines } from "../../test/docs/shell.ts";
import { pythonWithRunpod } from "../../test/foreign/python.ts";

const page = "docs/test-my-worker.md";
const { missing, path: python } = pythonWithRunpod();

describe.skipIf(missing !== "")(`the page about workers ${missing}`, () => {
  test("leads to a true finding, and to none once the handler is mended", async () => {
    const directory = readersDirectory();
    const lines = blockWith(page, "sh", "END").text.replace("python -u", `${python} -u`);
    const found = await runLines(lines, directory);
    const told = blockWith(page, "text", "fail WORK-11").text.trim();
    expect(found.output).toContain(told);
    expect(found.exitCode).toBe(1);
    const handler = join(directory, "handler.py");
    const text = readFileSync(handler, "utf8");
    writeFileSync(handler, text.replace("set(", "list("));
    const mended = await runLines(lines.trim().split("\n").at(-1) ?? "", directory);
    expect(mended.output).toMatch(/none is broken/);
    expect(mended.exitCode).toBe(0);
    expect(existsSync(join(directory, "reports/latest/report.html"))).toBe(true);
  });

  test("shows a file of tests that is read as it says", async () => {
    const directory = readersDirectory();
    mkdirSync(join(directory, ".runpod"));
    const shown = blockWith(page, "json", '"expect"').text;
    writeFileSync(join(directory, ".runpod/tests.json"), shown);
    const planned = await runLines(
      "npx queueproof worker --dry-run -- python handler.py",
      directory,
    );
    expect(planned.output).toMatch(/2 tests of \.runpod\/tests\.json, 2 times each/);
    expect(planned.exitCode).toBe(0);
  });
});
