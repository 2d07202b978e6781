import * as fc from "fast-check";

import { parseJson } from "../../../client/parse-json.ts";

/** Keys and values that have broken readers before: of prototypes, of numbers, of text, of depth. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom<unknown>(
    -1,
    1e308,
    2 ** 53,
    "",
    "\u0000",
    "\u202e",
    "__proto__",
    "constructor",
    null,
  ),
  fc.integer({ min: 1, max: 200 }).map((depth) => nested(depth)),
);

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? { a: value } : [value];
  return value;
}

/** Texts like a valid file: values replaced and keys added at random places, or the text itself cut and torn. */
export function mutatedFile(valid: string): fc.Arbitrary<string> {
  const torn = fc
    .tuple(fc.nat(valid.length), fc.nat(40), fc.string({ unit: "binary", maxLength: 40 }))
    .map(([at, cut, put]) => valid.slice(0, at) + put + valid.slice(at + cut));
  const deep = fc
    .integer({ min: 1, max: 50_000 })
    .map((depth) => valid.replace("{", `{"stray":${"[".repeat(depth)}${"]".repeat(depth)},`));
  const others = [torn, deep, fc.string({ unit: "binary", maxLength: 2_000 })];
  const value = parseJson(valid);
  return value === undefined ? fc.oneof(...others) : fc.oneof(changed(value), ...others);
}

function changed(value: unknown): fc.Arbitrary<string> {
  const change = fc.record({
    steps: fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }),
    put: strange,
  });
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const copy: unknown = structuredClone(value);
    for (const { steps, put } of changes) replaceAt(copy, steps, put);
    return JSON.stringify(copy);
  });
}

/** Walks down by the steps, each of which picks one of the members, and replaces the value at the end. */
function replaceAt(value: unknown, steps: readonly number[], put: unknown): void {
  let place = value;
  for (const [at, step] of steps.entries()) {
    if (typeof place !== "object" || place === null) return;
    const keys = Object.keys(place);
    const key = keys[step % Math.max(1, keys.length)] ?? "stray";
    const inner: unknown = Reflect.get(place, key);
    const isLast = at === steps.length - 1 || typeof inner !== "object" || inner === null;
    if (isLast) {
      Reflect.set(place, key, put);
      return;
    }
    place = inner;
  }
}
