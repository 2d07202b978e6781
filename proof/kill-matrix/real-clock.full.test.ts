import { expect, test } from "vitest";

import { proofOf } from "./real-clock.ts";
import { runSuite } from "./run-suite.ts";

const fault = { name: "concurrency/cancel-one-short", breaks: ["CONC-05"] } as const;

test("a cap that is one short is caught on a real clock", async () => {
  const run = await runSuite({
    kind: "fault on a real clock",
    name: fault.name,
    requirements: fault.breaks,
  });
  const { problems, summary, evidence } = proofOf([{ fault, run }], []);
  expect(problems).toEqual([]);
  expect(summary).toContain("1 faults, 1 caught");
  expect(evidence).toEqual({});
});
