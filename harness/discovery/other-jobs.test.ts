import { expect, test } from "vitest";

import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnKeptWorkers } from "./kept-workers.ts";
import { learnRetriedElsewhere, learnSharedJobs } from "./other-jobs.ts";

test.each([
  { operation: "retry", jobId: "a", id: "b", was: "FAILED", isSo: true },
  { operation: "retry", jobId: "a", id: "a", was: "FAILED", isSo: false },
  { operation: "retry", jobId: "a", id: "b", was: "IN_PROGRESS", isSo: false },
  { operation: "retry", jobId: "unknown", id: "b", was: "FAILED", isSo: false },
  { operation: "run", jobId: "a", id: "b", was: "FAILED", isSo: false },
] as const)(
  "$operation of $jobId that answers $id, where a is $was, makes another job: $isSo",
  ({ operation, jobId, id, was, isSo }) => {
    const discovery = new Discovery();
    const run = { operation: "run", sent: { input: {} } } as const;
    learnKeptWorkers(discovery, exchangeOf({ id: "a", status: "IN_QUEUE" }, run));
    learnKeptWorkers(discovery, exchangeOf({ id: "a", status: was }));
    const exchange = exchangeOf({ id, status: "IN_QUEUE" }, { operation, jobId });
    expect(learnRetriedElsewhere(discovery, exchange) !== undefined).toBe(isSo);
    expect(discovery.knows("retry-makes-another-job")).toBe(isSo);
  },
);

const learned = ["equal-inputs-share-a-job"];

test.each([
  { what: "equal inputs by one job", seen: ["a 1", "b 2", "a 1"], facts: learned },
  { what: "equal inputs by jobs of their own", seen: ["a 1", "b 2", "c 1"], facts: [] },
  { what: "other inputs by one job, too", seen: ["a 1", "b 2", "b 1", "a 1"], facts: [] },
  { what: "all by one job", seen: ["a 1", "a 1", "a 1"], facts: [] },
])("where submissions answer $what, $facts is learned", ({ seen, facts }) => {
  const discovery = new Discovery();
  const vain = seen.map((each) => {
    const [id = "", value] = each.split(" ");
    const given = { operation: "run", sent: { input: { value } } } as const;
    return learnSharedJobs(discovery, exchangeOf({ id, status: "IN_QUEUE" }, given));
  });
  expect(vain.filter((why) => why !== undefined)).toHaveLength(facts.length);
  expect(discovery.learned.map(({ id }) => id)).toEqual(facts);
});

test("an id that is given out again since the target was away shares no job", () => {
  const discovery = new Discovery();
  const submitted = (id: string, value: string): string | undefined => {
    const given = { operation: "run", sent: { input: { value } } } as const;
    return learnSharedJobs(discovery, exchangeOf({ id, status: "IN_QUEUE" }, given));
  };
  for (const id of ["a", "b"]) submitted(id, id);
  discovery.seenOfJobs.forget();
  const vain = ["a", "b"].map((id) => submitted(id, id));
  expect(vain).toEqual([undefined, undefined]);
  expect(discovery.learned).toEqual([]);
});
