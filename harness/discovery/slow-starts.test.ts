import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnKeptWorkers, pollWaitMs } from "./kept-workers.ts";

function at(exchange: Exchange, atMs: number): Exchange {
  return { ...exchange, sentAtMs: atMs, answeredAtMs: atMs + 2 };
}

function submitted(id: string, atMs: number, ms = 0): Exchange {
  const sent = { input: { op: "sleep", ms } };
  return at(exchangeOf({ id, status: "IN_QUEUE" }, { operation: "run", sent }), atMs);
}

/** A job that is submitted at once and is seen to have waited. */
function waited(id: string, delayTime: number): readonly Exchange[] {
  const record = { id, status: "COMPLETED", delayTime };
  return [submitted(id, 10), at(exchangeOf(record, { jobId: id }), 10 + delayTime)];
}

test.each([
  { what: "six seconds alone", seen: waited("a", 6000), startsMs: 5998, learned: ["slow-start"] },
  { what: "a second alone", seen: waited("a", 1000), startsMs: 998, learned: [] },
  {
    what: "six seconds after one that was cancelled while it waited",
    seen: [
      submitted("b", 0, 60_000),
      at(exchangeOf({ id: "b", status: "CANCELLED" }, { operation: "cancel", jobId: "b" }), 4),
      ...waited("a", 6000),
    ],
    startsMs: 5998,
    learned: ["slow-start"],
  },
  {
    what: "six seconds after one that was cancelled at work",
    seen: [
      submitted("b", 0, 60_000),
      at(exchangeOf({ id: "b", status: "IN_PROGRESS" }, { jobId: "b" }), 1),
      at(exchangeOf({ id: "b", status: "CANCELLED" }, { operation: "cancel", jobId: "b" }), 4),
      ...waited("a", 6000),
    ],
    startsMs: 0,
    learned: [],
  },
  {
    what: "six seconds behind another one",
    seen: [submitted("b", 0), ...waited("a", 6000)],
    startsMs: 0,
    learned: [],
  },
  { what: "an hour", seen: waited("a", 3_600_000), startsMs: 60_000, learned: ["slow-start"] },
])("a job that waited $what", ({ seen, startsMs, learned }) => {
  const discovery = new Discovery();
  for (const exchange of seen) learnKeptWorkers(discovery, exchange);
  expect(discovery.seenOfJobs.work.startsMs).toBe(startsMs);
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

test.each([
  { waitedMs: 1002, pollMs: 500 },
  { waitedMs: 6000, pollMs: 0 },
])(
  "workers that let a job wait $waitedMs ms look for one after $pollMs ms in the mean",
  ({ waitedMs, pollMs }) => {
    const discovery = new Discovery();
    for (const exchange of waited("a", waitedMs)) learnKeptWorkers(discovery, exchange);
    expect(pollWaitMs(discovery.seenOfJobs.work)).toBe(pollMs);
  },
);
