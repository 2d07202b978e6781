import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import type { CappedTier } from "../../openapi/operations.ts";
import { prepareOperation } from "./caps.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { holdInFlight, waysOf } from "./hold-in-flight.ts";
import type { LoadCost } from "../sent-load.ts";
import type { LoadFindings } from "./findings.ts";
import { expectAccepted, unlessInconclusive } from "./answers.ts";
import { isOffered, manyWorkers } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { tiers, cappedTiers, windowMs } from "../../openapi/operations.ts";

interface Judging {
  readonly session: LoadSession;
  readonly findings: LoadFindings;
}

/** A cap up to this is also filled on a second endpoint while the first is full. */
const secondFillMax = 20;

/** Whether a cap was reached, was missed this time, or can never be reached because nothing holds requests. */
type Reach = "reached" | "missed" | "out of reach";

/** Fills one operation to its cap, and meanwhile tries every other operation and another endpoint. */
async function judgeIsolation(tier: CappedTier, judging: Judging): Promise<Reach> {
  const { session } = judging;
  const { operation, cap } = tier;
  const [way] = waysOf(session, operation);
  if (way === undefined) return "out of reach";
  const endpoint = await session.endpoint(manyWorkers);
  // cancel, status and stream need a job, and nobody can make one once run is full.
  await endpoint.ensureJobsToCancel(operation === "cancel" ? cap + 1 : 1);
  await endpoint.ensureJobToRead();
  const others = tiers.filter((each) => each !== tier && isOffered(session, each));
  // A new endpoint needs no rest: what it has been sent is far from any limit.
  if (!endpoint.access.isFresh)
    await endpoint.waitUntilRested(...others.map((each) => each.operation));
  await prepareOperation(endpoint, operation, cap + 1);
  const held = await holdInFlight(endpoint, way, tier);
  try {
    if (!held.isCountedByTarget) return "out of reach";
    if (held.inFlight !== cap || (await held.tryOne())) return "missed";
    for (const other of others) {
      const one = await unlessInconclusive(endpoint.send(other.operation, 1, 1));
      if (one === undefined) continue;
      expectAccepted(judging.findings, `${other.operation} while ${operation} is full`, one);
    }
    if (session.makesEndpoints)
      await judgeElsewhere(await session.endpoint(manyWorkers), tier, judging);
  } finally {
    await held.end();
    endpoint.closeFlights();
  }
  return "reached";
}

async function judgeElsewhere(
  endpoint: LoadEndpoint,
  tier: CappedTier,
  { findings }: Judging,
): Promise<void> {
  const { operation, cap } = tier;
  await prepareOperation(endpoint, operation, cap + 2);
  const one = await endpoint.send(operation, 1, 1);
  expectAccepted(findings, `${operation} of another endpoint while ${operation} is full`, one);
  if (cap > secondFillMax) return;
  const held = await holdInFlight(endpoint, "held answers", tier);
  await held.end();
  const at = `${operation} of another endpoint while it is full on one`;
  findings.equal(at, `${cap} in flight`, `${held.inFlight} in flight`);
  endpoint.closeFlights();
}

function notReached(isInReach: boolean): Inconclusive {
  if (isInReach) return new Inconclusive("no cap could be reached");
  return new Unsupported(
    "no cap can be reached, because no operation's requests can be kept in flight; the capability hold with control, or handler, would show it",
  );
}

const costOfAll: LoadCost = {
  requests: { runsync: 420, run: 640, status: 410, stream: 410, cancel: 110, openai: 410 },
  jobs: { runsync: 420, run: 640 },
};
/** The cost where only requests with a body can be kept in flight. */
const costOfBodies: LoadCost = {
  requests: { runsync: 405, run: 210, status: 5, stream: 3, cancel: 5, "purge-queue": 5 },
  jobs: { runsync: 405, run: 210 },
};

export const capIsolationCheck: LoadCheck = {
  name: "concurrency/per-endpoint-and-operation",
  title: "While one operation is full, every other and another endpoint are not",
  covers: ["CONC-09"],
  needs: ["load"],
  realTimeMs: 4 * 2 * windowMs,
  sharedMs: () => 3 * windowMs,
  cost: ({ makesEndpoints }) => (makesEndpoints ? costOfAll : costOfBodies),
  run: async (session, findings) => {
    const unseen: string[] = [];
    let isInReach = false;
    for (const tier of cappedTiers.filter((each) => isOffered(session, each))) {
      const reach = await judgeIsolation(tier, { session, findings });
      isInReach ||= reach !== "out of reach";
      if (reach !== "reached") unseen.push(tier.operation);
    }
    if (unseen.length > 0) findings.figures["cap not reached"] = unseen.join(", ");
    if (findings.comparisons === 0) throw notReached(isInReach);
    if (session.makesEndpoints) return;
    throw new Unsupported(
      "each operation has a cap of its own; whether each endpoint has could be seen only with a second one, which --control makes",
    );
  },
};
