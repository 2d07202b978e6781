import { Inconclusive } from "../../harness/outcome.ts";
import type { Capability, OperationName, Tier } from "../../openapi/index.ts";
import type { LoadCheck } from "./check.ts";
import { exhaustLimit, requestsOfTrace, traceMs } from "./exhaustion.ts";
import { demandAnswers, unlessInconclusive } from "./answers.ts";
import type { LoadFindings } from "./findings.ts";
import { judgeLimit } from "./judge-limit.ts";
import { isOffered } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { tiers } from "../../openapi/index.ts";

/** What the table of limits says an operation needs beyond load. */
export function needsOf(operation: OperationName): readonly Capability[] {
  return operation === "openai" || operation === "requests" ? ["load", operation] : ["load"];
}

const limitChecks: readonly LoadCheck[] = tiers.map((tier) => ({
  name: `rate/limit-of-${tier.operation}`,
  title: `${tier.operation}: ${String(tier.limit)} requests in a window are accepted, the next answers 429`,
  covers: [tier.rate],
  needs: needsOf(tier.operation),
  realTimeMs: traceMs(tier) + 4_000,
  requests: requestsOfTrace(tier) + 12,
  jobs: jobsOf(tier),
  run: async (session, findings) => judgeLimit(tier, await exhaustLimit(session, tier), findings),
}));

function jobsOf(tier: Tier): number {
  return ["run", "runsync", "cancel"].includes(tier.operation) ? requestsOfTrace(tier) : 3;
}

const isolationMs = traceMs() + 4_000;

async function judgeIsolation(session: LoadSession, findings: LoadFindings): Promise<void> {
  const undecided: string[] = [];
  for (const tier of tiers.filter((each) => isOffered(session, each))) {
    const exhaustion = await unlessInconclusive(exhaustLimit(session, tier));
    if (exhaustion === undefined) undecided.push(tier.operation);
    // An operation that was not refused shows nothing: its own requirement says so.
    if (exhaustion === undefined || exhaustion.identification.best.kind === "none") continue;
    if (!exhaustion.isRefusingAmongOthers) undecided.push(tier.operation);
    for (const [other, one] of exhaustion.others) {
      demandAnswers(one);
      const at = `${other} while ${tier.operation} is exhausted`;
      findings.equal(at, "accepted", one.refused === 0 ? "accepted" : one.words, one.samples);
    }
  }
  if (findings.mismatches.length > 0) return;
  if (findings.comparisons === 0) throw new Inconclusive("no operation could be exhausted");
  if (undecided.length === 0) return;
  throw new Inconclusive(`not exhausted while the others were tried: ${undecided.join(", ")}`);
}

const isolationOfOperations: LoadCheck = {
  name: "rate/per-operation",
  title: "While one operation is exhausted every other is accepted, each in turn",
  covers: ["RATE-10"],
  needs: ["load"],
  realTimeMs: isolationMs,
  requests: 60,
  jobs: 20,
  run: judgeIsolation,
};

const isolationOfEndpoints: LoadCheck = {
  name: "rate/per-endpoint",
  title: "While an operation of one endpoint is exhausted it is accepted on another",
  covers: ["RATE-11"],
  needs: ["load", "endpoints"],
  realTimeMs: isolationMs,
  requests: 8,
  jobs: 8,
  run: async (session, findings) => {
    for (const tier of tiers.filter((each) => isOffered(session, each))) {
      const exhaustion = await unlessInconclusive(exhaustLimit(session, tier));
      const elsewhere = exhaustion?.elsewhere;
      if (elsewhere === undefined || exhaustion?.identification.best.kind === "none") continue;
      demandAnswers(elsewhere);
      const at = `${tier.operation} of another endpoint while it is exhausted on one`;
      const got = elsewhere.refused === 0 ? "accepted" : elsewhere.words;
      findings.equal(at, "accepted", got, elsewhere.samples);
    }
    if (findings.comparisons === 0) throw new Inconclusive("no operation could be exhausted");
  },
};

export const rateChecks: readonly LoadCheck[] = [
  ...limitChecks,
  isolationOfOperations,
  isolationOfEndpoints,
];
