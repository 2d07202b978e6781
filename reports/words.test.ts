import { expect, test } from "vitest";
import { countText, durationText, listText } from "./words.ts";

test.each([
  { ms: 0, text: "0 ms" },
  { ms: 350, text: "350 ms" },
  { ms: 1234, text: "1.2 s" },
  { ms: 6_000, text: "6 s" },
  { ms: 95_000, text: "1 min 35 s" },
  { ms: 600_000, text: "10 min" },
  { ms: 3_900_000, text: "1 h 5 min" },
  { ms: 86_400_000, text: "24 h" },
])("$ms ms reads $text", ({ ms, text }) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  { items: [], text: "" },
  { items: ["a"], text: "a" },
  { items: ["a", "b"], text: "a and b" },
  { items: ["a", "b", "c"], text: "a, b and c" },
])("$items reads $text", ({ items, text }) => {
  expect(listText(items)).toBe(text);
});

test("a count has its noun in one or many", () => {
  expect([0, 1, 2].map((count) => countText(count, "job"))).toEqual(["0 jobs", "1 job", "2 jobs"]);
});
