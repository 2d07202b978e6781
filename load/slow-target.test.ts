import { createServer } from "node:http";

import { describe, expect, onTestFinished, test } from "vitest";

import { tiers } from "../scenarios/tiers.ts";
import type { Tier } from "../scenarios/tiers.ts";
import { fireBurst } from "./autocannon/burst.ts";
import { judgeBursts } from "./autocannon/judge-bursts.ts";

const tier = tierOf("requests");

// The target has no limit at all: a generator that kept its schedule says so, one that was held up must not.
describe("a target without a limit", () => {
  test("that is slow leaves autocannon without a verdict", async () => {
    const request = { method: "GET", path: "/", headers: {} } as const;
    const burst = await fireBurst({
      origin: await server(5_100),
      request,
      amount: tier.requestsPerWindow + 1,
      connections: 20,
      timeLimitMs: 10_000,
    });
    const { check } = judgeBursts(tier, [[burst]]);
    expect(check).toMatchObject({ verdict: "inconclusive" });
    expect(check.reason).toMatch(/the burst took \d+ ms, more than 5000/);
  });
});

function tierOf(operation: string): Tier {
  const found = tiers.find((each) => each.operation === operation);
  if (found === undefined) throw new Error(`${operation} has no tier`);
  return found;
}

/** Answers everything, after so long. */
async function server(delayMs: number): Promise<string> {
  const listening = createServer((_request, response) => {
    setTimeout(() => response.end("{}"), delayMs);
  });
  await new Promise<void>((ready) => listening.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const address = listening.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return `http://127.0.0.1:${port}`;
}
