import { expect, test } from "vitest";

import { exchangeOf } from "../../test/harness/exchange.ts";
import { EndpointLease } from "./endpoint-lease.ts";
import { EndpointPool } from "./endpoint-pool.ts";
import { Occupancy } from "./occupancy.ts";

const options = {
  hold: "short",
  stallsBy: "stalled",
  isToStall: false,
  stallMsMax: undefined,
  holdsWhileWaiting: false,
  shared: true,
  signal: undefined,
} as const;

async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve);
  });
}

test("a check is late by what it waits for an endpoint that it has given back", async () => {
  const pool = new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]);
  const [waiting, other] = [new EndpointLease(pool, options), new EndpointLease(pool, options)];
  await waiting.acquire();
  const turnOfOther = other.acquire();
  await turn();
  expect(waiting.delayMs).toBe(0);

  waiting.releaseWhileWaiting();
  await turnOfOther;
  const sending = waiting.beforeRequest("retry");
  await turn();
  other.release();
  await sending;
  expect(waiting.delayMs).toBeGreaterThan(0);
});

test("a check that comes early for its moment is not late by what it waits", async () => {
  const pool = new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]);
  const [early, other] = [new EndpointLease(pool, options), new EndpointLease(pool, options)];
  await other.acquire();
  const coming = early.acquire();
  await turn();
  other.release();
  await coming;
  expect(early.delayMs).toBe(0);
});

test("jobs of two checks crowd an endpoint with one worker, until one of them has ended", async () => {
  const pool = new EndpointPool([{ short: 2, long: 1, longAlone: 1 }]);
  const occupancy = new Occupancy(1);
  const sharing = { ...options, occupancyOf: () => occupancy };
  const [one, other] = [new EndpointLease(pool, sharing), new EndpointLease(pool, sharing)];
  await one.beforeRequest("run");
  await turn();
  expect(one.crowdedMs).toBe(0);

  await other.beforeRequest("run");
  await turn();
  expect(one.crowdedMs).toBeGreaterThan(0);
  expect(other.crowdedMs).toBeGreaterThan(0);

  other.end();
  const { crowdedMs } = one;
  await turn();
  expect(one.crowdedMs).toBe(crowdedMs);
});

test("jobs of a check that holds its endpoint alone crowd nobody", async () => {
  const occupancy = new Occupancy(1);
  const alone = new EndpointLease(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]), {
    ...options,
    hold: "exclusive",
    occupancyOf: () => occupancy,
  });
  await alone.beforeRequest("run");
  await alone.beforeRequest("run");
  await turn();
  expect(alone.crowdedMs).toBe(0);
});

test.each([
  { status: 400, left: [] },
  { status: 404, left: [] },
  { status: 409, left: [] },
  { status: 500, left: ["a"] },
])("a job whose cancel is answered $status leaves unfinished: $left", async ({ status, left }) => {
  const lease = new EndpointLease(new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]), options);
  await lease.beforeRequest("run");
  lease.afterAnswer(exchangeOf({ id: "a", status: "IN_QUEUE" }, { operation: "run" }));
  const cancel = { operation: "cancel", jobId: "a", status } as const;
  lease.afterAnswer(exchangeOf({ error: "no" }, cancel));
  expect(lease.unfinished).toEqual(left);
});

test("a job whose cancel was accepted is unfinished no more, though its answer cannot be read", async () => {
  const pool = new EndpointPool([{ short: 1, long: 1, longAlone: 1 }]);
  const lease = new EndpointLease(pool, options);
  await lease.beforeRequest("run");
  lease.afterAnswer(exchangeOf({ id: "a", status: "IN_QUEUE" }, { operation: "run" }));
  lease.afterAnswer(exchangeOf('{"id": "a", "output": NaN}', { operation: "status", jobId: "a" }));
  lease.afterAnswer(exchangeOf({ error: "not now" }, { operation: "cancel", jobId: "a" }));
  expect(lease.unfinished).toEqual(["a"]);

  lease.afterAnswer(exchangeOf('{"id": "a", "output": NaN}', { operation: "cancel", jobId: "a" }));
  expect(lease.unfinished).toEqual([]);
});
