import { setTimeout as pause } from "node:timers/promises";

import { Inconclusive } from "../../harness/outcome.ts";
import { cappedTiers } from "../../openapi/operations.ts";
import type { CappedTier, OperationName } from "../../openapi/operations.ts";
import { prepareOperation } from "./caps.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { holdInFlight } from "./hold-in-flight.ts";
import type { LoadFindings } from "./findings.ts";
import type { InFlight } from "./in-flight.ts";
import { isOffered, manyWorkers } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { readsJob } from "./requests.ts";
import type { RequestParts } from "./requests.ts";
import type { Situation } from "./situation.ts";
import type { LoadCost } from "../sent-load.ts";

/** How long a slot may take to be free after an answer, in real time: a target may free it once the answer is sent. */
const freeMsMax = 1_500;
const triesMax = 2;
const beyondWindow = 3;
/** Windows of larger limits are not filled for this: if refusals keep slots, smaller operations show it, too. */
const filledLimitMax = 1_000;

const unknownJob = { jobId: "queueproof-unknown-job" };
const wrongKey = { apiKey: "queueproof-wrong-key" };
const fails = JSON.stringify({ input: { op: "fail", message: "asked to" } });
const ttlMs = 10_000;
/** Longer than each of what ends these requests before their jobs. */
const sleeps = { op: "sleep", ms: 2 * ttlMs };
/** Requests of runsync that end because the job expires or times out, or because the wait is over. */
const outlived: readonly RequestParts[] = [
  // Without a wait, which would be over sooner.
  { query: "", body: JSON.stringify({ input: sleeps, policy: { ttl: ttlMs } }) },
  { query: "", body: JSON.stringify({ input: sleeps, policy: { executionTimeout: 5_000 } }) },
  { body: JSON.stringify({ input: sleeps }), waitMs: 1_000 },
];
const looksMax = 200;
/** Above either reading of 20 MB. */
const tooLargeCharacters = 21_000_000;

/** A body that is made when it is sent: a constant would stay in the memory of every run that loads these checks. */
function tooLarge(): string {
  return JSON.stringify({ input: { op: "echo", value: "a".repeat(tooLargeCharacters) } });
}

/** One request of each kind that the operation refuses for what it is, or answers with a failed job. */
async function refusalsOf(
  operation: OperationName,
  endpoint: LoadEndpoint,
): Promise<readonly RequestParts[]> {
  if (operation === "run") return [wrongKey, { body: "{}" }, { body: "{" }, { body: tooLarge() }];
  if (operation === "runsync") {
    return [wrongKey, { body: "{}" }, { query: "wait=0" }, { body: tooLarge() }, { body: fails }];
  }
  if (operation === "cancel") {
    const jobId = await endpoint.ensureEndedJob();
    return [{ ...wrongKey, jobId }, unknownJob, { jobId }];
  }
  if (operation === "status") return [wrongKey, unknownJob, { query: "ttl=0" }];
  return readsJob(operation) ? [wrongKey, unknownJob] : [wrongKey];
}

/** Sends requests of runsync that end before their jobs would. */
async function outliveJobs(endpoint: LoadEndpoint): Promise<void> {
  const flights: InFlight[] = [];
  for (const parts of outlived) flights.push(await endpoint.putInFlight("runsync", 1, parts));
  for (let looks = 0; looks < looksMax; looks += 1) {
    const { inQueue, inProgress } = (await endpoint.health()).jobs;
    if (inQueue + inProgress >= outlived.length) break;
  }
  if (endpoint.access.isVirtual) await endpoint.wait(ttlMs + 1);
  for (const flight of flights) await flight.end();
}

/**
 * How many requests the operation takes in at once, up to one more than its cap; no virtual time passes. A request that
 * the target read late may be missing, or be one too many: what differs from the cap is tried once more.
 */
export async function mostAcceptedAtOnce(
  endpoint: LoadEndpoint,
  tier: CappedTier,
): Promise<number> {
  const { cap } = tier;
  let accepted = Number.NaN;
  for (let tries = 0; tries < triesMax && accepted !== cap; tries += 1) {
    if (tries > 0) await pause(freeMsMax);
    const held = await holdInFlight(endpoint, "held answers", tier);
    const isBeyondHeld = held.inFlight === cap && (await held.tryOne());
    const { all, more } = await held.end();
    // One that was in flight for long and then refused took no slot.
    const beyond = isBeyondHeld ? (more[0]?.accepted ?? 0) : 0;
    accepted = all.accepted + beyond;
  }
  return accepted;
}

async function judgeOperation(
  tier: CappedTier,
  session: LoadSession,
  findings: LoadFindings,
): Promise<void> {
  const { operation, cap, limit } = tier;
  const endpoint = await session.endpoint(manyWorkers);
  const judge = async (at: string): Promise<void> => {
    const most = await mostAcceptedAtOnce(endpoint, tier);
    findings.equal(`${operation}, ${at}`, inFlight(cap), inFlight(most));
  };
  try {
    await prepareOperation(endpoint, operation, 5 * cap + limit);
    const atFirst = await mostAcceptedAtOnce(endpoint, tier);
    // A cap that is wrong from the start is for other checks to judge.
    if (atFirst !== cap) {
      throw new Inconclusive(
        `${operation} took in ${atFirst} at once before anything was refused, not ${cap}`,
      );
    }
    const refusals = await refusalsOf(operation, endpoint);
    // Refusals, also those of a second try, may count against the limit of the window.
    if (4 * (cap + 1) + refusals.length > limit) await endpoint.waitUntilRested(operation);
    for (const particulars of refusals) {
      await (await endpoint.putInFlight(operation, 1, particulars)).end();
    }
    const isWaiting = operation === "runsync";
    if (isWaiting) await outliveJobs(endpoint);
    await judge(
      `once requests were refused${isWaiting ? ", and jobs failed, expired and timed out" : ""}`,
    );
    if (!endpoint.access.isVirtual || limit > filledLimitMax) return;
    await endpoint.waitUntilRested(operation);
    await endpoint.send(operation, limit + beyondWindow);
    await endpoint.waitUntilRested(operation);
    await judge("once its limit was exceeded");
  } finally {
    endpoint.closeFlights();
  }
}

function inFlight(count: number): string {
  return `${count} in flight`;
}

/** The cost of judging what refusals leave behind, where that can be seen. */
export const slotsAfterRefusalsCost: LoadCost = {
  requests: {
    runsync: 4_500,
    run: 2_300,
    status: 4_500,
    stream: 4_500,
    cancel: 320,
    openai: 4_500,
    requests: 30,
  },
  jobs: { runsync: 4_500, run: 2_300 },
};

/** Whether the cap of every operation can be filled, and filled again, at any moment. */
export function canJudgeSlotsAfterRefusals(on: Situation): boolean {
  return on.makesEndpoints && on.offers("hold");
}

/** Judges that requests that were refused, for whatever reason, neither keep a slot nor free that of another. */
export async function judgeSlotsAfterRefusals(
  session: LoadSession,
  findings: LoadFindings,
): Promise<void> {
  if (!canJudgeSlotsAfterRefusals(session)) return;
  // The low limits first: what fails there need not wait for the high ones.
  const offered = cappedTiers.filter((tier) => isOffered(session, tier));
  for (const tier of offered.toSorted((one, other) => one.limit - other.limit)) {
    if (findings.mismatches.length > 0) return;
    await judgeOperation(tier, session, findings);
  }
}
