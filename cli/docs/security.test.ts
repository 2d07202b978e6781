import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../test/project.ts";

test("every line of the page about security names its test", async () => {
  const page = await readFile(join(root, "docs/security.md"), "utf8");
  const tables = page.split(/\n(?!\|)/).map((part) => part.split("\n").filter(isRow));
  const lines = tables.flatMap((rows) => rows.slice(2));
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.filter((line) => !/`[\w./-]+\.test\.ts`[^|]*\|$/.test(line.trim()))).toEqual([]);
});

function isRow(line: string): boolean {
  return line.startsWith("|");
}
