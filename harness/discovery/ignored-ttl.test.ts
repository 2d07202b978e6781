import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { at, exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnIgnoredTtl, ttlIgnored } from "./ignored-limits.ts";

function read(id: string, record: object, atMs: number): Exchange {
  return at(exchangeOf({ id, ...record }, { jobId: id }), atMs);
}

/** What is answered of a job with a ttl of 10 s. */
function answersOf(id: string, ...reads: readonly (readonly [object, number])[]) {
  const sent = { input: {}, policy: { ttl: 10_000 } };
  const submitted = exchangeOf({ id, status: "IN_QUEUE" }, { operation: "run", sent });
  return [at(submitted, 0), ...reads.map(([record, atMs]) => read(id, record, atMs))];
}

const working = { status: "IN_PROGRESS" };
const completed = { status: "COMPLETED" };
/** One that tells how long it waited and worked. */
const late = { status: "COMPLETED", delayTime: 4000, executionTime: 8000 };
const inTime = { status: "COMPLETED", delayTime: 0, executionTime: 9900 };
const timedOut = { status: "TIMED_OUT" };

test.each([
  {
    what: "two completed late by their times",
    seen: [answersOf("a", [late, 15_000]), answersOf("b", [late, 15_000])],
    isSo: true,
  },
  {
    what: "two were at work past their ttl and completed",
    seen: [
      answersOf("a", [working, 12_000], [completed, 15_000]),
      answersOf("b", [working, 12_000], [completed, 15_000]),
    ],
    isSo: true,
  },
  { what: "one completed late", seen: [answersOf("a", [late, 15_000])], isSo: false },
  {
    what: "two completed in time",
    seen: [answersOf("a", [inTime, 15_000]), answersOf("b", [inTime, 15_000])],
    isSo: false,
  },
  {
    what: "two completed late, and one timed out",
    seen: [
      answersOf("c", [timedOut, 11_000]),
      answersOf("a", [late, 15_000]),
      answersOf("b", [late, 15_000]),
    ],
    isSo: false,
  },
])("where $what no ttl ends a job: $isSo", ({ seen, isSo }) => {
  const discovery = new Discovery();
  for (const exchange of seen.flat()) learnIgnoredTtl(discovery, exchange);
  expect(discovery.knows(ttlIgnored)).toBe(isSo);
});
