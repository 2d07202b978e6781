import { expect, test } from "vitest";

import { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import { spec } from "../dialects/spec.ts";
import { Discovery } from "./discovery.ts";
import { dialectOf } from "./learned-dialect.ts";
import { learnWebhookMember } from "./webhook-member.ts";

const record = { id: "a", status: "COMPLETED", output: {}, delayTime: 1, executionTime: 2 };

test.each([
  { what: "a record in an event", body: { event: "job", data: record }, learned: true },
  { what: "a record", body: record, learned: false },
  {
    what: "a record whose output looks like one",
    body: { ...record, output: record },
    learned: false,
  },
  { what: "two records", body: { before: record, after: record }, learned: false },
  {
    what: "another object in an event",
    body: { data: { id: "a", status: "new" } },
    learned: false,
  },
  { what: "a text", body: "COMPLETED", learned: false },
])("a webhook that brings $what has it in a member: $learned", ({ body, learned }) => {
  const discovery = new Discovery();
  learnWebhookMember(discovery, body);
  expect(discovery.knows("webhook-in-member")).toBe(learned);
});

test("what a dialect says of it is no cause", () => {
  const discovery = new Discovery();
  learnWebhookMember(discovery, { data: record }, { webhookMember: "data" });
  expect(discovery.learned).toEqual([]);
});

test("the call from which it is learned is read so already", () => {
  const discovery = new Discovery();
  const { text } = dialectOf({ discovery }).webhookBody(JSON.stringify({ data: record }));
  expect(JSON.parse(text)).toEqual(record);
  const asItCame = new ConfiguredDialect(spec).webhookBody(JSON.stringify({ data: record }));
  expect(JSON.parse(asItCame.text)).toEqual({ data: record });
});
