import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { learnCancelledGone, learnCancelledOutput } from "./cancel.ts";
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
  const discovery = new Discovery();
  for (const exchange of seen) learnCancelledGone(discovery, exchange);
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

test.each([
  { status: "CANCELLED", output: { a: 1 }, learned: ["cancelled-with-output"] },
  { status: "CANCELLED", output: null, learned: [] },
  { status: "CANCELLED", learned: [] },
  { status: "COMPLETED", output: { a: 1 }, learned: [] },
])("a job that is $status with the output $output teaches $learned", ({ learned, ...shown }) => {
  const discovery = new Discovery();
  learnCancelledOutput(discovery, exchangeOf({ id: "j", ...shown }));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

test("it explains what the output of a cancelled job breaks, and nothing else", () => {
  const discovery = new Discovery();
  learnCancelledOutput(discovery, exchangeOf({ id: "j", status: "CANCELLED", output: 1 }));
  const [learning] = discovery.learned;
  const explains = (requirement: "STAT-08" | "CANC-05", got: string): boolean | undefined =>
    learning?.explains?.({ requirement, at: "", expected: "", got }, undefined);
  expect(explains("STAT-08", '{"id":"j","status":"CANCELLED","output":1}')).toBe(true);
  expect(explains("STAT-08", '{"id":"j","status":"CANCELLED"}')).toBe(false);
  expect(explains("CANC-05", '{"id":"j","status":"CANCELLED","output":1}')).toBe(false);
});
