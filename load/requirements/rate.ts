import { Inconclusive } from "../../harness/outcome.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import type { LoadCheck } from "./check.ts";
import { exhaustLimit, requestsOfTrace, requestsSent, traceMs } from "./exhaustion.ts";
import { expectAccepted, unlessInconclusive } from "./answers.ts";
import type { LoadFindings } from "./findings.ts";
import { judgeLimit } from "./judge-limit.ts";
import { costOf, sumOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";
import type { Situation } from "./situation.ts";
import { isOffered } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { isSubmission, isOptionalOperation, tiers } from "../../openapi/operations.ts";

/** The capabilities that checks of an operation need: load, and an optional operation its own. */
export function needsOfOperation(operation: OperationName): readonly Capability[] {
  return isOptionalOperation(operation) ? ["load", operation] : ["load"];
}

const limitChecks: readonly LoadCheck[] = tiers.map((tier) => ({
  name: `rate/limit-of-${tier.operation}`,
  title: `${tier.operation}: ${tier.limit} requests in a window are accepted, the next answers 429`,
  covers: [tier.rate],
  needs: needsOfOperation(tier.operation),
  realTimeMs: traceMs(tier) + 4_000,
  sharedMs: () => (tier.operation === "cancel" ? traceMs(tier) : 0),
  cost: (on) => costOfTrace(tier, on),
  usesUp: tier.operation === "cancel" ? "cancel" : undefined,
  run: async (session, findings) => judgeLimit(tier, await exhaustLimit(session, tier), findings),
}));

/** The most that any kind of limiter accepts of a whole trace, and of one that ends early, as shares of the limit. */
const acceptedOf = { whole: 4.4, early: 1.05 } as const;

function costOfTrace(tier: Tier, { makesEndpoints }: Situation): LoadCost {
  const { operation, limit } = tier;
  const shared = isSubmission(operation) ? Math.ceil(acceptedOf.early * limit) : requestsSent(tier);
  const count = makesEndpoints ? requestsOfTrace(tier) : shared;
  // Each cancel needs a job of its own; on a shared endpoint the job of a refused one serves the next.
  const cancelled = makesEndpoints ? count : Math.ceil(acceptedOf.whole * limit);
  const ofOthers = { requests: { run: 3, health: 9 }, jobs: { run: 3 } };
  return sumOf([costOf(operation, count, operation === "cancel" ? cancelled : 0), ofOthers]);
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
      expectAccepted(findings, `${other} while ${tier.operation} is exhausted`, one);
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
  usesUp: "cancel",
  realTimeMs: isolationMs,
  sharedMs: () => 0,
  cost: () => ({
    requests: { run: 10, runsync: 10, status: 20, stream: 20 },
    jobs: { run: 10, runsync: 10 },
  }),
  run: judgeIsolation,
};

const isolationOfEndpoints: LoadCheck = {
  name: "rate/per-endpoint",
  title: "While an operation of one endpoint is exhausted it is accepted on another",
  covers: ["RATE-11"],
  needs: ["load", "endpoints"],
  realTimeMs: isolationMs,
  cost: () => ({
    requests: { run: 4, runsync: 1, status: 2, stream: 1 },
    jobs: { run: 4, runsync: 1 },
  }),
  run: async (session, findings) => {
    for (const tier of tiers.filter((each) => isOffered(session, each))) {
      const exhaustion = await unlessInconclusive(exhaustLimit(session, tier));
      const elsewhere = exhaustion?.elsewhere;
      if (elsewhere === undefined || exhaustion?.identification.best.kind === "none") continue;
      const at = `${tier.operation} of another endpoint while it is exhausted on one`;
      expectAccepted(findings, at, elsewhere);
    }
    if (findings.comparisons === 0) throw new Inconclusive("no operation could be exhausted");
  },
};

export const rateChecks: readonly LoadCheck[] = [
  ...limitChecks,
  isolationOfOperations,
  isolationOfEndpoints,
];
