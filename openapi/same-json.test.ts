import { expect, test } from "vitest";

import { isSameJson } from "./same-json.ts";

test.each([
  [{ a: 1, b: [null, { c: "x" }] }, { b: [null, { c: "x" }], a: 1 }, true],
  [[1, 2], [2, 1], false],
  [[1], { 0: 1 }, false],
  [{ a: undefined }, {}, false],
  [{}, [], false],
  [null, {}, false],
  ["1", 1, false],
  ["text", "text", true],
])("%j and %j are the same: %s", (one, other, isSame) => {
  expect(isSameJson(one, other)).toBe(isSame);
  expect(isSameJson(other, one)).toBe(isSame);
});
