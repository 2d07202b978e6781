import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { at, exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnIgnoredTimeouts } from "./ignored-limits.ts";
import { noteStates } from "./states-never-shown.ts";

/** What is answered to a job with an executionTimeout of 5 s that is at work from 0 to its last read. */
function answersOf(id: string, last: object, lastAtMs: number): readonly Exchange[] {
  const sent = { input: {}, policy: { executionTimeout: 5000 } };
  const submitted = exchangeOf({ id, status: "IN_QUEUE" }, { operation: "run", sent });
  const working = exchangeOf({ id, status: "IN_PROGRESS" });
  return [at(submitted, 0), at(working, 0), at(exchangeOf({ id, ...last }), lastAtMs)];
}

const working = { status: "IN_PROGRESS" };
const completed = { status: "COMPLETED", executionTime: 8000 };

test.each([
  {
    what: "two that are at work for 16 s",
    jobs: ["a", "b"],
    last: working,
    atMs: 16_000,
    isSo: true,
  },
  {
    what: "two that completed after 8 s",
    jobs: ["a", "b"],
    last: completed,
    atMs: 8000,
    isSo: true,
  },
  { what: "one of them", jobs: ["a"], last: working, atMs: 16_000, isSo: false },
  {
    what: "two that may be ended late",
    jobs: ["a", "b"],
    last: working,
    atMs: 14_000,
    isSo: false,
  },
  {
    what: "two of them, after one that timed out",
    first: "TIMED_OUT",
    jobs: ["a", "b"],
    last: working,
    atMs: 16_000,
    isSo: false,
  },
])("executionTimeouts of $what are ignored: $isSo", ({ first, jobs, last, atMs, isSo }) => {
  const discovery = new Discovery();
  if (first !== undefined) noteStates(discovery, exchangeOf({ id: "k", status: first }));
  for (const exchange of jobs.flatMap((id) => answersOf(id, last, atMs))) {
    noteStates(discovery, exchange);
    learnIgnoredTimeouts(discovery, exchange);
  }
  expect(discovery.knows("timeouts-ignored")).toBe(isSo);
});
