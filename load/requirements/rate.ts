import type { Capability, OperationName } from "../../openapi/index.ts";
import { Undecided } from "./check.ts";
import type { LoadCheck } from "./check.ts";
import { exhausted, isOffered, requestsBeyond, unlessUndecided } from "./exhaustion.ts";
import type { Findings } from "./findings.ts";
import type { Stand } from "./stand.ts";
import { allTiers, windowMs } from "./table.ts";
import type { Tier } from "./table.ts";
import type { Tally } from "./tally.ts";

/** Requests that got no answer are the harness's or the network's: they decide nothing. */
export function demandAnswers(...tallies: readonly Tally[]): void {
  const lost = tallies.flatMap(({ shots }) => shots.filter(({ failure }) => failure !== undefined));
  const [first] = lost;
  if (first === undefined) return;
  throw new Undecided(`${String(lost.length)} requests got no answer: ${first.failure ?? ""}`);
}

/** What the table of limits says an operation needs beyond load. */
export function needsOf(operation: OperationName): readonly Capability[] {
  return operation === "openai" || operation === "requests" ? ["load", operation] : ["load"];
}

const edgeProbes = 18;

const limitChecks: readonly LoadCheck[] = allTiers.map((tier) => ({
  name: `rate/limit-of-${tier.operation}`,
  title: `${tier.operation}: ${String(tier.limit)} requests in a window are accepted, the next answers 429`,
  covers: tier.rate,
  needs: needsOf(tier.operation),
  realTimeMs: 5 * windowMs + 4_000,
  requests: tier.limit + requestsBeyond + edgeProbes + 10,
  jobs: jobsOf(tier),
  run: (stand, findings) => judgeLimit(tier, stand, findings),
}));

function jobsOf({ operation, limit }: Tier): number {
  const isSubmission = operation === "run" || operation === "runsync";
  return isSubmission ? limit + edgeProbes : operation === "cancel" ? limit + 43 : 3;
}

async function judgeLimit(tier: Tier, stand: Stand, findings: Findings): Promise<void> {
  const { operation, limit } = tier;
  const { within, beyond, burstMs } = await exhausted(stand, tier);
  demandAnswers(within, beyond);
  findings.figures["accepted"] = within.accepted;
  findings.figures["refused beyond the limit"] = beyond.refused;
  findings.figures["burst ms"] = Math.round(burstMs);
  if (burstMs > windowMs / 4) {
    throw new Undecided(
      `the burst took ${String(Math.round(burstMs))} ms, too long for one window`,
    );
  }
  if (burstMs > 0 && within.accepted === limit && beyond.accepted > 0) {
    throw new Undecided("the window may have ended while the limit was being used up");
  }
  const at = `${operation}, ${String(limit)} requests in one window`;
  findings.equal(
    at,
    `${String(limit)} accepted`,
    `${String(within.accepted)} accepted`,
    within.samples,
  );
  const next = `${operation}, the ${String(requestsBeyond)} requests after that`;
  findings.equal(next, `${String(requestsBeyond)} × 429`, beyond.words, beyond.samples);
}

const isolationOfOperations: LoadCheck = {
  name: "rate/per-operation",
  title: "While one operation is exhausted every other is accepted, each in turn",
  covers: "RATE-10",
  needs: ["load"],
  realTimeMs: 5 * windowMs + 4_000,
  requests: 60,
  jobs: 20,
  run: async (stand, findings) => {
    for (const tier of allTiers.filter((each) => isOffered(stand, each))) {
      const exhaustion = await unlessUndecided(exhausted(stand, tier));
      // An operation that could not be exhausted shows nothing: its own requirement says so.
      if (exhaustion === undefined || exhaustion.beyond.accepted > 0) continue;
      const { others } = exhaustion;
      for (const [other, one] of others) {
        demandAnswers(one);
        const at = `${other} while ${tier.operation} is exhausted`;
        findings.equal(at, "accepted", one.refused === 0 ? "accepted" : one.words, one.samples);
      }
    }
    if (findings.comparisons === 0) throw new Undecided("no operation could be exhausted");
  },
};

const isolationOfEndpoints: LoadCheck = {
  name: "rate/per-endpoint",
  title: "While an operation of one endpoint is exhausted it is accepted on another",
  covers: "RATE-11",
  needs: ["load", "endpoints"],
  realTimeMs: 5 * windowMs + 4_000,
  requests: 8,
  jobs: 8,
  run: async (stand, findings) => {
    for (const tier of allTiers.filter((each) => isOffered(stand, each))) {
      const exhaustion = await unlessUndecided(exhausted(stand, tier));
      const elsewhere = exhaustion?.elsewhere;
      if (elsewhere === undefined || exhaustion?.beyond.accepted !== 0) continue;
      demandAnswers(elsewhere);
      const at = `${tier.operation} of another endpoint while it is exhausted on one`;
      const got = elsewhere.refused === 0 ? "accepted" : elsewhere.words;
      findings.equal(at, "accepted", got, elsewhere.samples);
    }
    if (findings.comparisons === 0) throw new Undecided("no operation could be exhausted");
  },
};

export const rateChecks: readonly LoadCheck[] = [
  ...limitChecks,
  isolationOfOperations,
  isolationOfEndpoints,
];
