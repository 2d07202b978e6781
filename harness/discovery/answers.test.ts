import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { Answer } from "../../client/exchange.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { unknownJob } from "./asker.ts";
import { Discovery } from "./discovery.ts";
import { dialectOf } from "./learned-dialect.ts";
import { learnStatusRedirect, learnByteOrderMark, learnLargeIntegers } from "./answers.ts";

const failed = { id: "j", status: "FAILED", error: "boom" };

test.each([
  { what: "500 with its record", status: 500, body: failed, learned: ["record-with-500"] },
  { what: "202 with its record", status: 202, body: failed, learned: [] },
  { what: "400 with its record", status: 400, body: failed, learned: [] },
  { what: "404 with its record", status: 404, body: failed, learned: [] },
  {
    what: "500 with the record of another job",
    status: 500,
    body: { ...failed, id: "k" },
    learned: [],
  },
  { what: "500 with an error", status: 500, body: { error: "boom" }, learned: [] },
  { what: "500 with its id alone", status: 500, body: { id: "j", status: "error" }, learned: [] },
])("status that answers a job by $what teaches $learned", ({ status, body, learned }) => {
  const discovery = new Discovery();
  dialectOf({ discovery }).exchange(exchangeOf(body, { status }));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

test.each([
  { operation: "run", status: 303, learned: ["record-with-303"] },
  { operation: "cancel", status: 409, learned: [] },
  { operation: "runsync", status: 500, learned: [] },
  { operation: "health", status: 303, learned: [] },
] as const)("$operation that answers $status with a record teaches $learned", (row) => {
  const { operation, status, learned } = row;
  const discovery = new Discovery();
  const accepted = exchangeOf({ id: "j", status: "IN_QUEUE" }, { operation, status });
  const { answer } = dialectOf({ discovery }).exchange(accepted);
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
  expect(answer?.status).toBe(learned.length > 0 ? 200 : status);
});

test("the record is read as a success from then on, and what has none is not", () => {
  const dialect = dialectOf({ discovery: new Discovery() });
  expect(dialect.exchange(exchangeOf(failed, { status: 500 })).answer?.status).toBe(200);
  const broken = exchangeOf({ error: "boom" }, { status: 500 });
  expect(dialect.exchange(broken).answer?.status).toBe(500);
  const ofCancel = exchangeOf(failed, { status: 500, operation: "cancel" });
  expect(dialect.exchange(ofCancel).answer?.status).toBe(500);
});

test("a dialect that says so is no cause", () => {
  const discovery = new Discovery();
  const given = { name: "own", description: "Own.", deviations: { recordStatuses: [500] } };
  const read = dialectOf({ dialect: given, discovery }).exchange(
    exchangeOf(failed, { status: 500 }),
  );
  expect(read.deviations).toMatchObject([{ requirement: "STAT-01" }]);
  expect(discovery.learned).toEqual([]);
});

function redirect(location: string | undefined, jobId = "j"): Exchange {
  const headers = location === undefined ? {} : { location };
  return { ...exchangeOf("", { jobId }), answer: new Answer(303, headers, "") };
}

test.each([
  { what: "to a result", exchange: redirect("/results/j"), learned: true },
  { what: "to the same path with a slash", exchange: redirect("/v2/e/status/j/"), learned: false },
  { what: "to another scheme", exchange: redirect("https://a.test/v2/e/status/j"), learned: false },
  { what: "to nowhere", exchange: redirect(undefined), learned: false },
  { what: "of a job that nobody made", exchange: redirect("/login", unknownJob), learned: false },
])("a status that redirects $what is a cause: $learned", ({ exchange, learned }) => {
  const discovery = new Discovery();
  learnStatusRedirect(discovery, exchange);
  expect(discovery.knows("status-redirects")).toBe(learned);
});

test.each([
  { what: "before JSON", text: "\uFEFF{}", learned: ["byte-order-mark"] },
  { what: "before a page", text: "\uFEFF<html>", learned: [] },
  { what: "within JSON", text: '{"a":"\uFEFF"}', learned: [] },
])("a byte order mark $what teaches $learned", ({ text, learned }) => {
  const discovery = new Discovery();
  learnByteOrderMark(discovery, exchangeOf(text));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

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
  const discovery = new Discovery();
  learnLargeIntegers(discovery, exchangeOf(`{"id":"j","output":{"value":${value}}}`));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});
