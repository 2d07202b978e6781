import { createServer } from "node:http";

import { describe, expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../client/request-rules.ts";
import type { K6RatePhase } from "../scenarios/k6/settings.ts";
import { tiers } from "../openapi/operations.ts";
import type { Tier } from "../openapi/operations.ts";
import { ratePhases } from "../scenarios/rate.ts";
import { fireBurst } from "./autocannon/burst.ts";
import { judgeBursts } from "./autocannon/judge-bursts.ts";
import { rateFinding } from "./k6/rate-finding.ts";
import { phaseNameOf } from "./k6/judge-rate.ts";
import { k6Script } from "./k6/rate.ts";
import { runK6 } from "./k6/run.ts";
import { realK6 } from "../test/load/senders.ts";
import type { EngineFinding } from "./result.ts";

const { k6, reason } = await realK6();

const tier = tierOf("requests");

// The target has no limit at all: a generator that kept its schedule says so, and one that was late must not.
describe("a target without a limit", () => {
  test.skipIf(k6 === undefined)(
    `that is slow leaves k6 without a verdict, and one that is quick fails${reason && ` (${reason})`}`,
    async () => {
      const slow = await byK6(await server(1_500));
      expect(slow.check.verdict).toBe("inconclusive");
      expect(slow.check.reason).toMatch(/k6 sent \d+, .* were planned/);

      const quick = await byK6(await server(0));
      expect(["fail", "inconclusive"]).toContain(quick.check.verdict);
      expect(quick.figures.figures["above accepted"]).toBe(40);
    },
  );

  test("that is slow leaves autocannon without a verdict", async () => {
    const request = { method: "GET", path: "/", headers: {} } as const;
    const origin = await server(5_100);
    const burst = await fireBurst({
      rules: rulesFor({ baseUrl: origin }),
      origin,
      request,
      amount: tier.limit + 1,
      connections: 20,
      timeLimitMs: 10_000,
    });
    const { check } = judgeBursts(tier, [[burst]]);
    expect(check).toMatchObject({ verdict: "inconclusive" });
    expect(check.reason).toMatch(/the burst took \d+ ms, more than 5000/);
  });
});

/** The rates of the tier in windows of a second, all at once. */
async function byK6(url: string): Promise<EngineFinding> {
  const phases = ratePhases(tier).map((phase): K6RatePhase => {
    const { requestsPerWindow, sent, errorMsMax } = phase;
    return {
      name: phaseNameOf(phase),
      endpoint: { url, authorization: "key" },
      operation: tier.operation,
      perWindow: requestsPerWindow,
      sent,
      errorMsMax,
      accepted: sent,
      windowMs: 1_000,
      durationMs: 2_000,
      startMs: 0,
      inFlightMax: 2,
    };
  });
  const { summary, undecided, durationMs } = await runK6({
    k6: { path: k6?.path ?? "" },
    rules: rulesFor({ baseUrl: url }),
    script: k6Script("rate"),
    settings: { phases },
    timeLimitMs: 25_000,
    environment: process.env,
  });
  return rateFinding({ tier, phases: ratePhases(tier), summary, undecided, durationMs }, []);
}

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
