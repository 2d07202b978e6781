import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnLargeIntegers } from "./large-integers.ts";

const rounded = ["large-integers-rounded"];

test.each([
  { value: "9007199254740993", learned: [] },
  { value: "9007199254740991", learned: [] },
  { value: "90071992547409925", learned: [] },
  { value: '"9007199254740993"', learned: [] },
  { value: "9007199254740992", learned: rounded },
  { value: "9007199254740994.0", learned: rounded },
  { value: "9.007199254740992e+15", learned: rounded },
  { value: "9.007199254740992E15", learned: rounded },
])("an output of $value teaches $learned", ({ value, learned }) => {
  const discovery = new Discovery(new Redactor());
  learnLargeIntegers(discovery, exchangeOf(`{"id":"j","output":{"value":${value}}}`));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});
