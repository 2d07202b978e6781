import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import type { CappedTier, OperationName } from "../../openapi/operations.ts";
import { lostReason } from "./answers.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { holdInFlight, waysOf } from "./hold-in-flight.ts";
import type { HeldRequests, WayToHold } from "./hold-in-flight.ts";
import { doubt, loneAnswerMs, loneRequests, overlapDoubt } from "./doubts.ts";
import type { Doubt } from "./doubts.ts";
import type { LoadFindings } from "./findings.ts";
import { lastByteRounds, roundsShare } from "./last-byte.ts";
import { hasBody } from "./requests.ts";
import type { Situation } from "./situation.ts";
import { otherFormsOf } from "./other-forms.ts";
import { needsOfOperation } from "./rate.ts";
import { costOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";
import { manyWorkers, withOperationReserved } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { isSubmission, cappedTiers, windowMs } from "../../openapi/operations.ts";
import { isAccepted, isRefused } from "./tally.ts";
import type { Tally } from "./tally.ts";

const requestsBeyond = 3;

/** Makes the jobs that `count` requests of the operation need, and waits until its limit is free. */
export async function prepareOperation(
  endpoint: LoadEndpoint,
  operation: OperationName,
  count: number,
): Promise<void> {
  if (operation === "cancel") await endpoint.ensureJobsToCancel(count);
  if (operation === "status" || operation === "stream") await endpoint.ensureJobToRead();
  await endpoint.waitUntilRested(operation);
}

/** Why the answers decide nothing; undefined where they decide. */
function obstacle(all: Tally): string | undefined {
  const lost = lostReason(all.exchanges);
  if (lost !== undefined) return lost;
  const odd = all.exchanges.some(({ answer }) => {
    const status = answer?.status ?? 0;
    return status < 200 || (status >= 300 && status < 500 && status !== 429);
  });
  return odd ? `the requests were answered ${all.words}` : undefined;
}

interface CapObservation {
  /** How many were in flight and accepted. */
  readonly inFlight: number;
  readonly shown: number;
  readonly all: Tally;
  readonly how: string;
  /** The forms in which one more request was taken in all the same. */
  readonly besides: readonly string[];
}

/** The cap as shown by requests that are kept in flight, or why they show nothing. */
async function observeCap(
  way: WayToHold,
  { operation, cap }: CappedTier,
  session: LoadSession,
): Promise<CapObservation | Doubt> {
  const endpoint = await session.endpoint(manyWorkers);
  const count = cap + requestsBeyond;
  await prepareOperation(endpoint, operation, count);
  const held = await holdInFlight(endpoint, way, { operation, cap }, count);
  const isFull = way !== "held bodies" && held.inFlight === cap;
  const forms = isFull ? await otherFormsOf(endpoint, operation) : [];
  const areHeld: boolean[] = [];
  for (const { parts } of forms) areHeld.push(await held.tryOne(parts));
  const servesAnother = held.inFlight <= cap || (await endpoint.servesAnother());
  const { all, shown, more } = await held.end();
  endpoint.closeFlights();
  const lost = obstacle(all);
  if (lost !== undefined) return doubt(lost);
  const open = doubtOf(held, all, shown);
  if (open !== undefined) return open;
  if (!servesAnother) {
    return doubt(
      `${held.inFlight} are in flight, and the target serves no other connection meanwhile`,
    );
  }
  if (all.accepted >= cap && shown < cap) {
    return doubt(`the timestamps show ${shown} of ${cap} in flight at one moment`);
  }
  if (all.accepted > cap && shown <= cap) {
    return doubt(`${all.accepted} were accepted, but ${shown} shown in flight at one moment`);
  }
  // One that was in flight for long and then refused for something else took no place.
  const besides = forms.flatMap(({ words }, at) =>
    areHeld[at] === true && (more[at]?.accepted ?? 0) > 0 ? [words] : [],
  );
  return { inFlight: all.accepted, shown, all, how: `${count} requests, ${way}`, besides };
}

function doubtOf(
  { way, isCountedByTarget, inFlight }: HeldRequests,
  all: Tally,
  shown: number,
): Doubt | undefined {
  if (way === "held answers" && inFlight !== all.accepted && shown < all.accepted) {
    return doubt("the answers were not held back");
  }
  if (!isCountedByTarget) return doubt("a request is not counted before its last byte", true);
  return undefined;
}

/** The cap as shown by requests that are released together, or why they show nothing. */
async function observeCapInRounds(
  tier: CappedTier,
  session: LoadSession,
): Promise<CapObservation | Doubt> {
  const { operation, cap, limit } = tier;
  const endpoint = await session.endpoint(manyWorkers);
  await prepareOperation(endpoint, operation, Math.min(limit, 5 * (cap + requestsBeyond)));
  const { count, telling, isRefusing, shown } = await lastByteRounds(endpoint, tier);
  const why = obstacle(telling);
  const sent = `${count} rounds of up to ${cap + 5} requests released together`;
  const isAllAccepted = why === undefined && !isRefusing;
  if (isAllAccepted) await prepareOperation(endpoint, operation, loneRequests);
  const loneMs = isAllAccepted ? await loneAnswerMs(endpoint, operation) : undefined;
  endpoint.closeFlights();
  if (why !== undefined) return doubt(why);
  if (!isRefusing) return overlapDoubt(tier, { sent, telling, loneMs });
  if (telling.accepted > cap) {
    return doubt(`${sent}: ${telling.accepted} were accepted, of which some may have ended before`);
  }
  if (telling.accepted === cap && shown < cap) {
    return doubt(`the timestamps show ${shown} of ${cap} in flight at one moment`);
  }
  return { inFlight: telling.accepted, shown, all: telling, how: sent, besides: [] };
}

async function judgeCap(
  tier: CappedTier,
  session: LoadSession,
  findings: LoadFindings,
): Promise<void> {
  const { operation, cap } = tier;
  const doubts: Doubt[] = [];
  const words = (): string => doubts.map(({ why }) => why).join("; ");
  for (const way of [...waysOf(session, operation), "released together"] as const) {
    const observation = await (way === "released together"
      ? observeCapInRounds(tier, session)
      : observeCap(way, tier, session));
    if ("why" in observation) {
      doubts.push({ ...observation, why: `${way}: ${observation.why}` });
      continue;
    }
    const { inFlight, shown, all, how, besides } = observation;
    findings.figures["decided by"] = way;
    findings.figures["in flight"] = inFlight;
    findings.figures["shown in flight at one moment"] = shown;
    if (doubts.length > 0) findings.figures["not decided by"] = words();
    const at = `${operation}, ${how}`;
    findings.equal(at, `${cap} in flight`, `${inFlight} in flight`, all.samples);
    for (const form of besides) findings.equal(`${operation}, full, ${form}`, "429", "in flight");
    const refused = all.exchanges.filter((exchange) => !isAccepted(exchange));
    const answered = refused.every(isRefused) ? "429" : all.words;
    findings.equal(`${operation}, the requests above the cap`, "429", answered, all.samples);
    return;
  }
  if (doubts.every(({ isForGood }) => isForGood)) throw new Unsupported(words());
  throw new Inconclusive(words());
}

/** The cost of one way that decides, or of rounds of requests released together. */
function costOfCap({ operation, cap, limit }: CappedTier, { makesEndpoints }: Situation): LoadCost {
  const held = cap + requestsBeyond + 1;
  const rounds = Math.min(Math.floor(limit * roundsShare), 5 * (cap + requestsBeyond));
  const count = makesEndpoints || hasBody(operation) ? held : rounds + loneRequests;
  return costOf(operation, count);
}

export const capChecks: readonly LoadCheck[] = cappedTiers.map((tier) => ({
  name: `concurrency/cap-of-${tier.operation}`,
  title: `${tier.operation}: ${tier.cap} in flight are accepted, one more answers 429`,
  covers: [tier.concurrency],
  needs: needsOfOperation(tier.operation),
  realTimeMs: 3 * 2 * windowMs,
  sharedMs: () => (isSubmission(tier.operation) ? 500 : 2 * windowMs),
  cost: (on) => costOfCap(tier, on),
  usesUp: isSubmission(tier.operation) ? undefined : tier.operation,
  run: (session, findings) =>
    withOperationReserved(session, tier.operation, () => judgeCap(tier, session, findings)),
}));
