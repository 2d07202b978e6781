import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnKeptWorkers } from "./kept-workers.ts";

interface Told {
  readonly atMs: number;
  readonly status: string;
  readonly delayTime?: number;
  /** How long the job works that is submitted. */
  readonly workMs?: number;
}

function asked(
  operation: OperationName,
  id: string,
  { atMs, workMs = 0, ...record }: Told,
): Exchange {
  const sent = { input: { op: "sleep", ms: workMs } };
  const exchange = exchangeOf({ id, ...record }, { operation, jobId: id, sent });
  return { ...exchange, sentAtMs: atMs, answeredAtMs: atMs + 2 };
}

function cancelled(id: string, workMs: number, begunAtMs = 5): readonly Exchange[] {
  return [
    asked("run", id, { atMs: 0, status: "IN_QUEUE", workMs }),
    asked("status", id, { atMs: begunAtMs, status: "IN_PROGRESS" }),
    asked("cancel", id, { atMs: begunAtMs + 10, status: "CANCELLED" }),
  ];
}

/** A job that is submitted after 100 ms, and is seen to have begun after it waited. */
function waiting(id: string, delayTime: number): readonly Exchange[] {
  return [
    asked("run", id, { atMs: 100, status: "IN_QUEUE" }),
    asked("status", id, { atMs: 100 + delayTime, status: "COMPLETED", delayTime }),
  ];
}

const busy = [
  asked("run", "busy-1", { atMs: 20, status: "IN_QUEUE", workMs: 2950 }),
  asked("run", "busy-2", { atMs: 20, status: "IN_QUEUE", workMs: 2950 }),
];
const retried = ["again-1", "again-2"].flatMap((id) => [
  asked("run", id, { atMs: 0, status: "IN_QUEUE", workMs: 2950 }),
  asked("status", id, { atMs: 10, status: "FAILED" }),
  asked("retry", id, { atMs: 20, status: "IN_QUEUE" }),
]);
/** Nothing else was there when it waited. */
const polled = [
  asked("run", "first", { atMs: -5000, status: "IN_QUEUE" }),
  asked("status", "first", { atMs: -3900, status: "COMPLETED", delayTime: 1002 }),
];
const quick = ["quick-1", "quick-2", "quick-3"].map((id) =>
  asked("run", id, { atMs: 90, status: "IN_QUEUE" }),
);
const both = [...cancelled("a", 3000), ...cancelled("b", 3000)];

test.each([
  {
    what: "two waited for two",
    seen: [...both, ...waiting("c", 2950), ...waiting("d", 2950)],
    learned: ["cancel-keeps-worker"],
  },
  {
    what: "two waited for two where workers look for jobs once a second",
    seen: [...polled, ...both, ...waiting("c", 2950), ...waiting("d", 2950)],
    learned: ["cancel-keeps-worker"],
  },
  {
    what: "two waited where workers look for jobs once a second, but behind quick ones",
    seen: [...polled, ...both, ...quick, ...waiting("c", 2950), ...waiting("d", 2950)],
    learned: [],
  },
  {
    what: "two waited for two while others that were cancelled would have kept every worker",
    seen: [
      ...cancelled("e", 9000),
      ...cancelled("f", 9000),
      ...both,
      ...waiting("c", 2950),
      ...waiting("d", 2950),
    ],
    learned: [],
  },
  {
    what: "two waited for two, but others were at work",
    seen: [...both, ...busy, ...waiting("c", 2950), ...waiting("d", 2950)],
    learned: [],
  },
  {
    what: "two waited for two, but retried jobs were at work",
    seen: [...both, ...retried, ...waiting("c", 2950), ...waiting("d", 2950)],
    learned: [],
  },
  { what: "one waited", seen: [...both, ...waiting("c", 2950)], learned: [] },
  {
    what: "two waited, for something else",
    seen: [...both, ...waiting("c", 2000), ...waiting("d", 3900)],
    learned: [],
  },
  {
    what: "none waited for long",
    seen: [...both, ...waiting("c", 40), ...waiting("d", 40)],
    learned: [],
  },
  {
    what: "two waited, of a server that looks for jobs every three seconds",
    seen: [
      ...cancelled("a", 3000, 1200),
      ...cancelled("b", 3000, 1200),
      ...waiting("c", 4100),
      ...waiting("d", 4100),
    ],
    learned: [],
  },
])("where $what is learned: $learned", ({ seen, learned }) => {
  const discovery = new Discovery();
  discovery.seenOfJobs.work.workers = 2;
  for (const exchange of seen) learnKeptWorkers(discovery, exchange);
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
});

test("nothing is learned where this process did not run meanwhile", () => {
  const discovery = new Discovery();
  const { work } = discovery.seenOfJobs;
  work.workers = 2;
  let stoppedMs = 0;
  work.stoppedMs = () => (stoppedMs += 600);
  for (const exchange of [...both, ...waiting("c", 2950), ...waiting("d", 2950)]) {
    learnKeptWorkers(discovery, exchange);
  }
  expect(discovery.learned).toEqual([]);
});
