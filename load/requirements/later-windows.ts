import type { Tier } from "../../openapi/operations.ts";
import { tiers, windowMs } from "../../openapi/operations.ts";
import { costOf } from "../sent-load.ts";
import { requireAnswers } from "./answers.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import type { LoadFindings } from "./findings.ts";
import { manyWorkers } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { needsOfOperation } from "./rate.ts";
import type { Tally } from "./tally.ts";

/** Operations whose windows cost few requests. */
const lowTiers = tiers.filter(({ limit }) => limit <= 100);
const windows = 12;
const hourMs = 3_600_000;

/** Sends one request more than the limit at one moment. */
async function exceed(endpoint: LoadEndpoint, { operation, limit }: Tier): Promise<Tally> {
  const count = limit + 1;
  if (operation !== "cancel") return endpoint.send(operation, count);
  // Jobs that were left over may have ended since.
  const jobIds = await endpoint.submit(count);
  return endpoint.cancel(jobIds);
}

/** Each window that begins after silence accepts the limit, whatever the kind, and at one moment no more. */
async function judgeWindows(
  tier: Tier,
  session: LoadSession,
  findings: LoadFindings,
): Promise<void> {
  const { operation, limit } = tier;
  const endpoint = await session.endpoint(manyWorkers);
  const judge = async (which: string): Promise<boolean> => {
    await endpoint.waitUntilRested(operation, "run");
    const sent = await exceed(endpoint, tier);
    requireAnswers(sent);
    const at = `${operation}, requests accepted at one moment, ${which}`;
    findings.equal(at, limit, sent.accepted, sent.samples);
    return sent.accepted === limit;
  };
  for (let window = 1; window <= windows; window += 1) {
    if (!(await judge(`exhausted for the ${window}. time`))) return;
  }
  await endpoint.wait(hourMs);
  await judge("after an hour of silence");
}

/** Checks that limits stay what they are, which only time that can be advanced shows soon. */
export const laterWindowsChecks: readonly LoadCheck[] = lowTiers.map((tier) => ({
  name: `rate/later-windows-of-${tier.operation}`,
  title: `${tier.operation}: each of ${windows} windows, and one after an hour, accepts ${tier.limit} requests at once`,
  covers: [tier.rate],
  needs: [...needsOfOperation(tier.operation), "endpoints", "clock"],
  realTimeMs: windows * 2 * windowMs + hourMs,
  usesUp: tier.operation,
  cost: () => costOf(tier.operation, (windows + 1) * (tier.limit + 1)),
  run: (session, findings) => judgeWindows(tier, session, findings),
}));
