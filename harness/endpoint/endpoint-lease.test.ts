import { expect, test } from "vitest";

import { EndpointLease } from "./endpoint-lease.ts";
import { EndpointPool } from "./endpoint-pool.ts";

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
