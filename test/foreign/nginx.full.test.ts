import { describe, expect, onTestFinished, test } from "vitest";

import { runRequirements } from "../../load/requirements/run-requirements.ts";
import type { RequirementsRun } from "../../load/requirements/run-requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { startReference } from "../../reference/start-reference.ts";
import { nginx, startNginx, tableOfLimits, unlimited } from "./nginx.ts";
import type { NginxLimit } from "./nginx.ts";

/** The probe against a limiter that was written elsewhere: nginx, in front of the reference without limits. */

async function probe(
  limits: readonly NginxLimit[],
  ids: readonly RequirementId[],
): Promise<RequirementsRun> {
  const reference = await startReference({
    behaviour: unlimited,
    control: false,
    defaultEndpoint: { workers: 3 },
  });
  onTestFinished(async () => reference.stop());
  const server = await startNginx(reference.baseUrl, limits);
  onTestFinished(async () => server.stop());
  const { endpointId, apiKey } = reference;
  const { baseUrl } = server;
  return runRequirements({
    target: { baseUrl, endpointId, apiKey, capabilities: ["handler", "load"] },
    requirements: new Set(ids),
    timeBudgetMs: Number.POSITIVE_INFINITY,
  });
}

/** Asks again where a busy machine left something undecided, which is honest and shows nothing of nginx. */
async function decided(
  limits: readonly NginxLimit[],
  ids: readonly RequirementId[],
): Promise<RequirementsRun> {
  const attemptsMax = 3;
  for (let attempt = 1; ; attempt += 1) {
    const run = await probe(limits, ids);
    const isDecided = run.results.every(({ verdict }) => verdict !== "inconclusive");
    if (isDecided || attempt === attemptsMax) return run;
  }
}

/** A bucket of 60 that fills by 5 a second, and 7 connections: limits that no row of the table has. */
const odd = tableOfLimits.map((limit) => {
  if (limit.operation === "cancel")
    return Object.assign({}, limit, { requestsPerMinute: 300, burst: 59 });
  return limit.operation === "runsync" ? Object.assign({}, limit, { connections: 7 }) : limit;
});

describe.skipIf(nginx.missing !== "")(`nginx ${nginx.missing}`, () => {
  test("its bucket and its cap are named as they are", { timeout: 600_000 }, async () => {
    const { results, load } = await decided(odd, ["RATE-14", "CONC-01"]);
    const found = load.find(({ scenario }) => scenario === "rate/kind-of-window")?.limiter?.best;
    expect(found).toMatchObject({ kind: "bucket with its own rate", limit: 60, differences: 0 });
    // 60 in 12 s is 5 a second; the bounds of the edge are some milliseconds.
    expect(found?.windowMs).toBeGreaterThan(11_900);
    expect(found?.windowMs).toBeLessThan(12_100);
    const cap = results.find(({ name }) => name === "concurrency/cap-of-runsync");
    expect(cap?.mismatches).toMatchObject([{ expected: "400 in flight", got: "7 in flight" }]);
  });
});
