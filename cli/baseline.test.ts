import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ensureBaselineWritable,
  readBaseline,
  updatedBaseline,
  writeBaseline,
} from "./baseline.ts";
import { reportOf } from "./testing/report.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

function fileWith(text: string): string {
  const path = join(temporaryDirectory(), "baseline.txt");
  writeFileSync(path, text);
  return path;
}

describe("a baseline file", () => {
  test("has an id and its reason on each line, and comments", () => {
    const path = fileWith(
      "# known\n\nRUNA-02  the gateway cuts at 8 MB  # until May\nSYNC-05 slow\n",
    );
    expect([...readBaseline(path, false)]).toEqual([
      ["RUNA-02", "the gateway cuts at 8 MB"],
      ["SYNC-05", "slow"],
    ]);
  });

  test("is refused with every line that has no reason or stands twice", () => {
    const path = fileWith("RUNA-02\nSYNC-05 slow\nSYNC-05 slow\n");
    const problems = [
      `${path}:1: RUNA-02 has no reason: write it after the id`,
      `${path}:3: SYNC-05 stands there twice`,
    ];
    expect(() => readBaseline(path, false)).toThrow(
      expect.objectContaining({ code: "WRONG_USAGE", problems }),
    );
  });

  test("may be missing only where it is about to be written", () => {
    const path = join(temporaryDirectory(), "none.txt");
    expect(readBaseline(path, true).size).toBe(0);
    expect(() => readBaseline(path, false)).toThrow(/cannot be read/);
  });
});

test.each([
  { what: "in a directory that is missing", path: (home: string) => join(home, "none", "a.txt") },
  { what: "that is a directory", path: (home: string) => home },
])("a baseline $what is refused before the run that would write it", async ({ path }) => {
  await expect(ensureBaselineWritable(path(temporaryDirectory()))).rejects.toMatchObject({
    code: "WRONG_USAGE",
  });
  await expect(writeBaseline(path(temporaryDirectory()), new Map())).rejects.toMatchObject({
    code: "WRONG_USAGE",
  });
});

test("an update takes in what fails, takes out what passes, keeps what was not decided", async () => {
  const before = new Map([
    ["RUNA-01", "old, now passing"],
    ["RUNA-02", "the gateway cuts at 8 MB"],
    ["SYNC-05", "not run today"],
    ["RUNA-99", "never existed"],
  ]);
  const report = reportOf({ "RUNA-01": "pass", "RUNA-02": "fail", "RUNA-03": "fail" });
  const after = updatedBaseline(before, report);
  expect([...after]).toEqual([
    ["RUNA-02", "the gateway cuts at 8 MB"],
    ["RUNA-03", "not yet explained"],
    ["SYNC-05", "not run today"],
  ]);

  const path = join(temporaryDirectory(), "baseline.txt");
  await writeBaseline(path, after);
  expect(readBaseline(path, false)).toEqual(after);
});
