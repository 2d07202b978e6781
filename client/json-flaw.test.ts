import { expect, test } from "vitest";

import { Answer } from "./exchange.ts";
import { jsonFlawOf } from "./parse-json.ts";
import { bodyOf } from "./parsed-body.ts";

test.each<[string, string]>([
  [' <!DOCTYPE html><html lang="en">', "it is an HTML page"],
  ["<?xml version='1.0'?>", "it is XML or HTML"],
  ['{"a":"NaN","b":NaN}', "NaN at line 1, column 16"],
  ['{\n  "a": -Infinity\n}', "-Infinity at line 2, column 8"],
  ['{"a":[1,2,],"b":NaN}', "a comma behind the last item at line 1, column 10"],
  ['{"a \\" NaN": None}', "None at line 1, column 14"],
  ["{'a': 1}", "a single quote at line 1, column 2"],
])("names what is wrong with %j", (text, flaw) => {
  expect(jsonFlawOf(text)).toBe(flaw);
  expect(bodyOf(new Answer(200, {}, text))).toEqual({
    ok: false,
    why: `a body that is not JSON: ${flaw}`,
  });
});

test("a reader passes over a byte order mark, and says so", () => {
  const marked = bodyOf(new Answer(200, {}, '\uFEFF{"a":1}'));
  expect(marked).toEqual({ ok: true, value: { a: 1 }, flaw: "it begins with a byte order mark" });
  expect(bodyOf(new Answer(200, {}, '{"a":1}'))).toEqual({ ok: true, value: { a: 1 } });
  const why = "a body that is not JSON: it is an HTML page";
  expect(bodyOf(new Answer(200, {}, "\uFEFF<html>"))).toEqual({ ok: false, why });
});

test.each(['{"status":"IN_QU', "garbage", '"NaN, ] is a text'])("names nothing in %j", (text) => {
  expect(jsonFlawOf(text)).toBeUndefined();
  expect(bodyOf(new Answer(200, {}, text))).toEqual({ ok: false, why: "a body that is not JSON" });
});
