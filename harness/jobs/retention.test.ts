import { expect, test } from "vitest";

import { conformanceJobs } from "../inputs/conformance-jobs.ts";
import { OwnJobs } from "../inputs/own-jobs.ts";
import { retentionMs, workedMsOf } from "./retention.ts";

const slow = { input: {}, atLeastMs: 8000, atMostMs: 300_000 };

test.each([
  { of: "the conformance handler", jobs: conformanceJobs, by: "runsync", ms: 4000 },
  { of: "an owner", jobs: new OwnJobs({ slow }), by: "run", ms: slow.atMostMs },
] as const)("the work of a job of $of has been done after $ms ms", ({ jobs, by, ms }) => {
  expect(workedMsOf({ jobs }, 4000, by)).toBe(ms);
});

test("the record of a runsync job is looked for before it may be deleted, however long the job may work", () => {
  const workedMs = workedMsOf({ jobs: new OwnJobs({ slow }) }, 4000, "runsync");
  expect(workedMs).toBeLessThan(retentionMs.runsync);
});
