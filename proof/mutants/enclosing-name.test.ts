import { expect, test } from "vitest";

import { enclosingName, sourceFile } from "./mutant.ts";

const text = `
const max = 1;
class Gate {
  #count = 2;
  constructor() { this.#count = 3; }
  enter() { const isFull = this.#count > 4; return isFull; }
  get open() { return { one: () => 5 }; }
}
function plain() { return 6; }
`;

test.each([
  ["1", "max"],
  ["2", "Gate.#count"],
  ["3", "Gate.constructor"],
  ["4", "Gate.enter.isFull"],
  ["5", "Gate.open.one"],
  ["6", "plain"],
  ["class", "Gate"],
])("the place of %s is %s", (what, name) => {
  expect(enclosingName(sourceFile("a.ts", text), text.indexOf(what))).toBe(name);
});
