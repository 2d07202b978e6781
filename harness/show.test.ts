import { describe, expect, test } from "vitest";

import { brief, show } from "./show.ts";

describe("a value in a message", () => {
  test.each([
    { value: undefined, shown: "nothing" },
    { value: null, shown: "null" },
    { value: { status: "IN_QUEUE" }, shown: '{"status":"IN_QUEUE"}' },
    { value: "a\u001B[2Jb", shown: String.raw`a\u001b[2Jb` },
    { value: 1n, shown: "a value that cannot be written as JSON" },
    { value: "x".repeat(161), shown: `${"x".repeat(160)}…` },
  ])("reads $shown", ({ value, shown }) => {
    expect(show(value)).toBe(shown);
  });

  test("stays short where every character has to be escaped", () => {
    expect(brief("\u0001".repeat(100), 100).length).toBeLessThanOrEqual(201);
  });
});
