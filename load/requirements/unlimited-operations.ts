import { Inconclusive } from "../../harness/outcome.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import { tierOf, windowMs } from "../../openapi/operations.ts";
import { requireAnswers } from "./answers.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import type { LoadFindings } from "./findings.ts";
import { manyWorkers } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { joined } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Operations whose limits those without a stated one might use up: they read, make or end jobs, too. */
const tried: readonly OperationName[] = ["cancel", "run", "status"];
const each = 10;
const fails = { op: "fail", message: "asked to" };

/** Sends each operation that has no stated limit a few times; every retry is of a job that has failed. */
async function useUnlimited(endpoint: LoadEndpoint, failed: readonly string[]): Promise<void> {
  const healths = await endpoint.send("health", each);
  const retries: Tally[] = [];
  for (const jobId of failed) {
    retries.push(await (await endpoint.putInFlight("retry", 1, { jobId })).end());
  }
  requireAnswers(healths, ...retries);
  if (healths.accepted > 0 && joined(retries).accepted > 0) return;
  throw new Inconclusive("no request of retry or none of health was accepted");
}

/** Sends as many requests as the limit allows, after `before`, to an operation whose whole limit is free. */
async function useLimit(
  endpoint: LoadEndpoint,
  { operation, limit }: Tier,
  before: () => Promise<void>,
): Promise<Tally> {
  if (operation === "cancel") await endpoint.ensureJobsToCancel(limit);
  else await endpoint.ensureJobToRead();
  await endpoint.wait(2 * windowMs + 1);
  await before();
  const sent = await endpoint.send(operation, limit);
  requireAnswers(sent);
  return sent;
}

/** What retry and health were sent leaves another operation what it accepts without them. */
async function judgeOne(tier: Tier, session: LoadSession, findings: LoadFindings): Promise<void> {
  const endpoint = await session.endpoint(manyWorkers);
  const failed = await endpoint.submit(each, fails);
  const { accepted, samples } = await useLimit(endpoint, tier, () =>
    useUnlimited(endpoint, failed),
  );
  // A limit that is too low of itself is for other checks to judge.
  const expected =
    accepted === tier.limit
      ? tier.limit
      : (await useLimit(endpoint, tier, () => Promise.resolve())).accepted;
  const at = `${tier.operation}, requests accepted at one moment after some of retry and health`;
  findings.equal(at, expected, accepted, samples);
}

/** Checks that operations without a stated limit use up none of another's. */
export const unlimitedOperationsCheck: LoadCheck = {
  name: "rate/retry-and-health-use-no-limit",
  title: "Requests of retry and health leave other operations their whole limits",
  covers: ["RATE-10"],
  needs: ["load", "handler", "endpoints", "clock"],
  realTimeMs: tried.length * 2 * windowMs,
  cost: () => ({
    requests: { run: 1_140, status: 2_000, cancel: 100, retry: 30, health: 30 },
    jobs: { run: 1_140 },
  }),
  run: async (session, findings) => {
    for (const operation of tried) await judgeOne(tierOf(operation), session, findings);
  },
};
