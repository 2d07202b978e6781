import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { dialectOf } from "./learned-dialect.ts";

const chunk = { output: { index: 0 }, metrics: {} };

function stream(body: unknown): Exchange {
  return exchangeOf(body, { operation: "stream" });
}

test("an array in an object is read from there, and elements without metrics as if they had some", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  const bare = { output: { index: 0 } };
  const { answer } = dialect.exchange(stream({ status: "IN_PROGRESS", stream: [bare] }));
  expect(discovery.learned.map(({ id, deviations }) => [id, deviations])).toEqual([
    ["stream-in-object", { stream: { member: "stream" } }],
    ["stream-without-metrics", { stream: { withoutMetrics: true } }],
  ]);
  expect(answer?.rawText()).toBe(JSON.stringify([{ metrics: {}, ...bare }]));
});

test.each([
  { what: "an array", body: [chunk] },
  { what: "an array without metrics", body: [{ output: { index: 0 } }] },
  { what: "the object of an error", body: { error: "no such job", details: [] } },
  { what: "an object with two arrays", body: { stream: [chunk], others: [] } },
])("nothing is learned of $what", ({ body }) => {
  const discovery = new Discovery();
  dialectOf({ discovery }).exchange(stream(body));
  expect(discovery.learned).toEqual([]);
});

test("an element without metrics, after one that has them, is a fault of its own", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  dialect.exchange(stream({ stream: [chunk] }));
  dialect.exchange(stream({ stream: [{ output: { index: 1 } }] }));
  expect(discovery.learned.map(({ id }) => id)).toEqual(["stream-in-object"]);
});
