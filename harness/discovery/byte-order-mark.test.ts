import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { learnByteOrderMark } from "./byte-order-mark.ts";
import { Discovery } from "./discovery.ts";

test.each([
  { what: "before JSON", text: "\uFEFF{}", learned: ["byte-order-mark"] },
  { what: "before a page", text: "\uFEFF<html>", learned: [] },
  { what: "within JSON", text: '{"a":"\uFEFF"}', learned: [] },
])("a byte order mark $what teaches $learned", ({ text, learned }) => {
  const discovery = new Discovery(new Redactor());
  learnByteOrderMark(discovery, exchangeOf(text));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});
