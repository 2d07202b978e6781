import { expect, test } from "vitest";

import { fuzzFiles } from "./fuzz-files.ts";

test("no reader of files breaks on what is nearly such a file", async () => {
  const { problems, figures } = await fuzzFiles({ seconds: 30, seed: 7 });
  expect(problems.join("\n")).toBe("");
  for (const counts of Object.values(figures)) {
    expect(counts).not.toMatchObject({ refused: 0 });
    expect(counts).not.toMatchObject({ read: 0 });
  }
});
