import { expect, test } from "vitest";

import { needsNoWorker } from "./judge-differences.ts";
import { exchangeOf } from "../test/harness/exchange.ts";

const refused = { requirement: "SUBM-02", at: "a string", got: "status 200" } as const;

test.each([
  ["run", "status 400", true],
  ["runsync", "a refusal (4xx)", true],
  ["health", "status 401", true],
  // Whether the job was still at work depends on when it was asked.
  ["retry", "status 400", false],
  ["run", "2xx with a record of id and status", false],
] as const)("%s, where %s was due: %s", (operation, expected, decided) => {
  expect(needsNoWorker({ ...refused, expected }, exchangeOf({}, { operation }))).toBe(decided);
  expect(needsNoWorker({ ...refused, expected }, undefined)).toBe(false);
});

test("what a check is sure of needs no exchange", () => {
  const isSure = { ...refused, expected: "POST", isSure: true };
  expect(needsNoWorker(isSure, undefined)).toBe(true);
});

test("run answers IN_QUEUE whatever the workers do", () => {
  const state = {
    requirement: "RUNA-01",
    at: "status",
    expected: "IN_QUEUE",
    got: "RUNNING",
  } as const;
  expect(needsNoWorker(state, exchangeOf({}, { operation: "run" }))).toBe(true);
  const record = { ...state, expected: "2xx with a record of id and status" };
  expect(needsNoWorker(record, exchangeOf({}, { operation: "run" }))).toBe(false);
});
