import { expect, test } from "vitest";

import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnRunWaits } from "./waits.ts";

const learned = ["run-waits"];
test.each([
  { states: ["COMPLETED", "FAILED", "TIMED_OUT"], learned },
  { states: ["COMPLETED", "COMPLETED"], learned: [] },
  { states: ["COMPLETED", "IN_QUEUE", "COMPLETED", "COMPLETED"], learned: [] },
  { states: ["CANCELLED", "CANCELLED", "CANCELLED"], learned: [] },
])("of answers of run that show $states is learned: $learned", (row) => {
  const discovery = new Discovery();
  for (const [index, status] of row.states.entries()) {
    learnRunWaits(discovery, exchangeOf({ id: `job-${index}`, status }, { operation: "run" }));
  }
  expect(discovery.learned.map(({ id }) => id)).toEqual(row.learned);
});

test("nothing is learned of a server that answers everything with one record", () => {
  const discovery = new Discovery();
  const exchange = exchangeOf({ id: "a", status: "COMPLETED" }, { operation: "run" });
  for (let times = 0; times < 5; times += 1) learnRunWaits(discovery, exchange);
  expect(discovery.learned).toEqual([]);
});

test("what it showed before its end is explained, and what it could not show is excused", () => {
  const discovery = new Discovery();
  for (const id of ["a", "b", "c"])
    learnRunWaits(discovery, exchangeOf({ id, status: "COMPLETED" }, { operation: "run" }));
  const [cause] = discovery.learned;
  const mismatch = { requirement: "LIFE-01", at: "status", expected: "IN_QUEUE", got: "COMPLETED" };
  expect(cause?.excuses?.({ ...mismatch, requirement: "LIFE-01" }, undefined)).toBe(true);
  expect(cause?.excusesReason?.("the job this check needs is COMPLETED, not IN_QUEUE")).toBe(true);
  expect(cause?.excusesReason?.("run answered 429")).toBe(false);
});
