import { describe, expect, test } from "vitest";

import { nestsDeeper, countsMore } from "./depth.ts";

describe("the depth of a JSON text", () => {
  test.each([
    { text: "[[[1]]]", deeper: true },
    { text: '{"a":{"b":[1]}}', deeper: true },
    { text: "[[1],[2],[3]]", deeper: false },
    { text: '["[[[[", "{{{{"]', deeper: false },
    { text: String.raw`["\"[[[[", "\\"]`, deeper: false },
    { text: String.raw`["\\", [[1]]]`, deeper: true },
    { text: '"[[[[ without an end', deeper: false },
    { text: "]]]][[", deeper: false },
  ])("$text is deeper than 2: $deeper", ({ text, deeper }) => {
    expect(nestsDeeper(text, 2)).toBe(deeper);
  });

  test("is found without recursion", () => {
    expect(nestsDeeper("[".repeat(1_000_000), 1000)).toBe(true);
  });
});

test.each([
  ["[1,2,3]", 3, false],
  ["[1,2,3]", 2, true],
  ['["a,b,[,{",1]', 2, false],
  ["[[],[],[]]", 5, true],
] as const)("%s has more than %i values: %s", (text, valuesMax, more) => {
  expect(countsMore(text, valuesMax)).toBe(more);
});
