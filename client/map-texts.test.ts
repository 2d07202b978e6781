import { expect, test } from "vitest";

import { mapTexts } from "./map-texts.ts";

const upper = (text: string): string => text.toUpperCase();

test("texts and names are changed at any depth, and what holds none is the same object", () => {
  const numbers = Float64Array.of(1, Number.NaN);
  const value = { list: ["a", Number.NaN], numbers, kept: "b" };
  const mapped: unknown = mapTexts(value, upper, new Set(["kept"]));
  expect(mapped).toEqual({ LIST: ["A", Number.NaN], NUMBERS: numbers, KEPT: "b" });
  expect(Object.values(mapped ?? {})[1]).toBe(numbers);
  const plain = { 1: [Number.NaN, numbers] };
  expect(mapTexts(plain, upper, new Set())).toBe(plain);
});
