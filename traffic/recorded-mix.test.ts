import { expect, test } from "vitest";

import { surface } from "../reference/behaviour/surface.ts";
import { RecordedMix } from "./recorded-mix.ts";
import type { RecordedExchange } from "./recording/recorded-exchange.ts";

const nothing = { bytes: Buffer.alloc(0), kind: "unknown" } as const;

function asked(method: string, path: string, arrivedMs: number): RecordedExchange {
  return {
    number: 1,
    connection: 1,
    method,
    origin: "http://a",
    target: `/v2/e/${path}`,
    headers: {},
    body: nothing,
    arrivedMs,
  };
}

test("a mix has the rates of a recording, and leaves out what no mix sends", () => {
  const mix = new RecordedMix(surface.routes);
  for (let at = 0; at <= 10; at += 1) mix.observe(asked("GET", "status/a", 1_000 * at));
  mix.observe(asked("POST", "run", 2_000));
  mix.observe(asked("POST", "purge-queue", 3_000));
  mix.observe(asked("GET", "favicon.ico", 60_000));
  expect(mix.end()).toEqual({
    arrival: "poisson",
    operations: { status: 1.1, run: 0.1 },
    jobs: { quick: 1 },
  });
});

test("one request tells no rate", () => {
  const mix = new RecordedMix(surface.routes);
  mix.observe(asked("GET", "health", 1_000));
  expect(mix.end()).toBeUndefined();
});
