import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { learnCancelledOutput } from "./cancelled-output.ts";
import { Discovery } from "./discovery.ts";

test.each([
  { status: "CANCELLED", output: { a: 1 }, learned: ["cancelled-with-output"] },
  { status: "CANCELLED", output: null, learned: [] },
  { status: "CANCELLED", learned: [] },
  { status: "COMPLETED", output: { a: 1 }, learned: [] },
])("a job that is $status with the output $output teaches $learned", ({ learned, ...shown }) => {
  const discovery = new Discovery(new Redactor());
  learnCancelledOutput(discovery, exchangeOf({ id: "j", ...shown }));
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

test("it explains what the output of a cancelled job breaks, and nothing else", () => {
  const discovery = new Discovery(new Redactor());
  learnCancelledOutput(discovery, exchangeOf({ id: "j", status: "CANCELLED", output: 1 }));
  const [learning] = discovery.learned;
  const explains = (requirement: "STAT-08" | "CANC-05", got: string): boolean | undefined =>
    learning?.explains?.({ requirement, at: "", expected: "", got }, undefined);
  expect(explains("STAT-08", '{"id":"j","status":"CANCELLED","output":1}')).toBe(true);
  expect(explains("STAT-08", '{"id":"j","status":"CANCELLED"}')).toBe(false);
  expect(explains("CANC-05", '{"id":"j","status":"CANCELLED","output":1}')).toBe(false);
});
