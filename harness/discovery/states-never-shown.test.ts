import { expect, test } from "vitest";

import { at, exchangeOf } from "../../test/harness/exchange.ts";
import { StateMissed } from "../outcome.ts";
import { Discovery } from "./discovery.ts";
import { resultsOf } from "./results.ts";
import { learnMissed, learnWorkedQueued, noteStates } from "./states-never-shown.ts";

/** The reads of a job: its state and when it was read, in milliseconds; the last one tells how long it worked. */
interface Life {
  readonly id: string;
  readonly reads: readonly (readonly [state: string, atMs: number])[];
  readonly executionTime: number;
}

const worked = { reads: [["IN_QUEUE", 1500]], executionTime: 1000 } as const;
const waited = { reads: [["IN_QUEUE", 500]], executionTime: 1000 } as const;
const usual = { reads: [["IN_QUEUE", 0] as const, ["IN_PROGRESS", 1500] as const] };

test.each<{ what: string; jobs: readonly Life[]; learned: readonly string[] }>([
  {
    what: "three jobs in the queue while they worked",
    jobs: [
      { id: "a", ...worked },
      { id: "b", ...worked },
      { id: "c", ...worked },
    ],
    learned: ["never-in-progress"],
  },
  {
    what: "two of them",
    jobs: [
      { id: "a", ...worked },
      { id: "b", ...worked },
    ],
    learned: [],
  },
  {
    what: "three that may have waited then",
    jobs: [
      { id: "a", ...waited },
      { id: "b", ...waited },
      { id: "c", ...waited },
    ],
    learned: [],
  },
  {
    what: "three of them, and one in progress",
    jobs: [
      { id: "k", ...usual, executionTime: 1000 },
      { id: "a", ...worked },
      { id: "b", ...worked },
      { id: "c", ...worked },
    ],
    learned: [],
  },
])("a server that shows $what", ({ jobs, learned }) => {
  const discovery = new Discovery();
  for (const { id, reads, executionTime } of jobs) {
    const end = ["COMPLETED", 2000] as const;
    for (const [status, atMs] of [...reads, end]) {
      const times = status === "COMPLETED" ? { executionTime } : {};
      const came = exchangeOf({ id, status, ...times }, { jobId: id });
      const exchange = at(came, atMs);
      noteStates(discovery, exchange);
      learnWorkedQueued(discovery, exchange);
    }
  }
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

test.each([
  { what: "three jobs", inQueue: 0, ids: ["a", "b", "c"], isSo: true },
  { what: "two jobs", inQueue: 0, ids: ["a", "b"], isSo: false },
  {
    what: "three jobs, where health counts one that waits",
    inQueue: 1,
    ids: ["a", "b", "c"],
    isSo: false,
  },
  {
    what: "three jobs, where none is processed any more",
    inQueue: 0,
    ids: ["a", "b", "c"],
    later: "IN_QUEUE",
    isSo: false,
  },
  {
    what: "three jobs, of which one is cancelled",
    inQueue: 0,
    ids: ["a", "b", "c"],
    later: "CANCELLED",
    isSo: false,
  },
])("in the queue although health counts only jobs at work, $what: $isSo", (row) => {
  const { inQueue, ids, later = "COMPLETED", isSo } = row;
  const discovery = new Discovery();
  const health = exchangeOf({ jobs: { inQueue, inProgress: 2 } }, { operation: "health" });
  const reads = ids.flatMap((id) => {
    const read = exchangeOf({ id, status: "IN_QUEUE" }, { jobId: id });
    return [read, health, read];
  });
  const submitted = exchangeOf({ id: "z", status: "IN_QUEUE" }, { operation: "run" });
  const ended = exchangeOf({ id: "z", status: later }, { jobId: "z" });
  for (const [atMs, exchange] of [...reads, submitted, ended].entries()) {
    learnWorkedQueued(discovery, at(exchange, atMs));
  }
  expect(discovery.knows("never-in-progress")).toBe(isSo);
});

const completed = exchangeOf({ id: "a", status: "COMPLETED" });

test.each([
  { what: "three checks", checks: ["a", "b", "c"], learned: ["never-failed"] },
  { what: "one check three times", checks: ["a", "a", "a"], learned: [] },
  {
    what: "three checks, after a job that failed",
    failed: true,
    checks: ["a", "b", "c"],
    learned: [],
  },
])("jobs that were to fail and completed, in $what", ({ checks, failed = false, learned }) => {
  const discovery = new Discovery();
  if (failed) noteStates(discovery, exchangeOf({ id: "k", status: "FAILED" }));
  for (const check of checks) {
    learnMissed(discovery, check, {
      missed: new StateMissed("FAILED", "COMPLETED"),
      seen: completed,
    });
  }
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
  expect(resultsOf(discovery).map(({ covers: [id] }) => id)).toEqual(
    learned.length > 0 ? ["LIFE-04"] : [],
  );
});

test.each([
  { got: "COMPLETED", learned: "timeouts-ignored" },
  { got: "FAILED", learned: "never-timed-out" },
] as const)("jobs that were to time out and are $got: $learned", ({ got, learned }) => {
  const discovery = new Discovery();
  const missed = new StateMissed("TIMED_OUT", got);
  const seen = exchangeOf({ id: "a", status: got });
  for (const check of ["a", "b", "c"]) learnMissed(discovery, check, { missed, seen });
  expect(discovery.learned.map(({ id }) => id)).toEqual([learned]);
});
