import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { learnCancelledGone } from "./cancelled-jobs.ts";
import { Discovery } from "./discovery.ts";

function asked(operation: OperationName, jobId: string, state: string): Exchange {
  const isGone = state === "gone";
  const body = isGone ? { error: "not found" } : { id: jobId, status: state };
  const exchange = exchangeOf(body, { operation, status: isGone ? 404 : 200 });
  return { ...exchange, request: { ...exchange.request, jobId } };
}

const cancelled = ["a", "b", "c"].map((id) => asked("cancel", id, "CANCELLED"));
const gone = ["a", "b", "c"].map((id) => asked("status", id, "gone"));

test.each([
  { what: "all gone", seen: [...cancelled, ...gone], learned: ["cancelled-jobs-gone"] },
  { what: "two gone", seen: [...cancelled, ...gone.slice(1)], learned: [] },
  { what: "gone, and never cancelled", seen: gone, learned: [] },
  {
    what: "gone, but one was there",
    seen: [...cancelled, asked("status", "a", "CANCELLED"), ...gone],
    learned: [],
  },
])("of cancelled jobs that are $what is learned: $learned", ({ seen, learned }) => {
  const discovery = new Discovery(new Redactor());
  for (const exchange of seen) learnCancelledGone(discovery, exchange);
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});
