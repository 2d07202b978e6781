import type { OperationName } from "../../openapi/index.ts";
import type { TracedRequest } from "../limiters/trace.ts";
import { Undecided } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { oncePer } from "./stand.ts";
import type { Stand } from "./stand.ts";
import { allTiers, windowMs } from "./table.ts";
import type { Tier } from "./table.ts";
import { isAccepted } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** What one exhausted operation showed; requirements of several kinds are judged by it. */
export interface Exhaustion {
  /** As many requests as the limit allows. */
  readonly within: Tally;
  /** The requests after those, in the same window. */
  readonly beyond: Tally;
  /** One request of every other operation meanwhile. */
  readonly others: ReadonlyMap<OperationName, Tally>;
  /** One of the same operation on another endpoint meanwhile; absent where there is none. */
  readonly elsewhere: Tally | undefined;
  /** The burst and single requests on both sides of every tenth of the window. */
  readonly trace: readonly TracedRequest[];
  /** Two requests after two windows of silence. */
  readonly afterSilence: Tally;
  /** How long the burst took, on the endpoint's clock. */
  readonly burstMs: number;
}

/** How many requests over the limit are sent. */
export const requestsBeyond = 3;

/** Exhausts an operation, once for all checks that look at it. */
export const exhausted: (stand: Stand, tier: Tier) => Promise<Exhaustion> = oncePer(exhaust);

async function exhaust(stand: Stand, tier: Tier): Promise<Exhaustion> {
  const { operation, limit } = tier;
  const endpoint = await stand.endpoint(roomy);
  if (operation === "cancel") await endpoint.stock(limit + requestsBeyond + 40);
  if (!endpoint.access.isVirtual) await endpoint.wait(2 * windowMs);
  const beganMs = endpoint.nowMs;
  const within = await endpoint.send(operation, limit);
  const burstMs = endpoint.nowMs - beganMs;
  const beyond = await endpoint.send(operation, requestsBeyond, 1);
  const others = await tryOthers(stand, endpoint, operation);
  const elsewhere = await tryElsewhere(stand, operation);
  const trace = [...traced(within, beganMs), ...traced(beyond, endpoint.nowMs)];
  trace.push(...(await probeEdges(endpoint, operation, beganMs)));
  await endpoint.wait(2 * windowMs);
  const afterSilence = await endpoint.send(operation, 2, 1);
  return { within, beyond, others, elsewhere, trace, afterSilence, burstMs };
}

/** Enough workers that a runsync job finds one free beside all that wait to be cancelled. */
export const roomy = { workers: 400 } as const;

async function tryOthers(
  stand: Stand,
  endpoint: LoadEndpoint,
  operation: OperationName,
): Promise<ReadonlyMap<OperationName, Tally>> {
  const others = new Map<OperationName, Tally>();
  for (const other of allTiers.filter((tier) => isOffered(stand, tier))) {
    // A cancel needs a job, and run may be what is exhausted: then the stock has to be there before.
    const needsRun = other.operation === "cancel" || other.operation === "status";
    if (other.operation === operation || (needsRun && operation === "run")) continue;
    if (other.operation === "stream" && operation === "run") continue;
    const one = await unlessUndecided(endpoint.send(other.operation, 1));
    if (one !== undefined) others.set(other.operation, one);
  }
  return others;
}

/** What a request needs first may be refused, too: then run, tried by itself, tells of it. */
export async function unlessUndecided<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

async function tryElsewhere(stand: Stand, operation: OperationName): Promise<Tally | undefined> {
  if (!stand.offers("endpoints")) return undefined;
  const endpoint = await stand.endpoint();
  return endpoint.send(operation, 1);
}

async function probeEdges(
  endpoint: LoadEndpoint,
  operation: OperationName,
  beganMs: number,
): Promise<readonly TracedRequest[]> {
  const trace: TracedRequest[] = [];
  for (let tenth = 5; tenth <= 13; tenth += 1) {
    for (const aside of [-2, 2]) {
      await endpoint.waitUntil(beganMs + (tenth * windowMs) / 10 + aside);
      const atMs = endpoint.nowMs;
      trace.push(...traced(await endpoint.send(operation, 1), atMs));
    }
  }
  return trace;
}

/** A trace of requests that were sent at one moment of the endpoint's clock. */
export function traced({ shots }: Tally, atMs: number): readonly TracedRequest[] {
  return shots.map((shot) => ({ atMs, isAdmitted: isAccepted(shot) }));
}

export function isOffered(stand: Stand, { operation }: Tier): boolean {
  return (operation !== "openai" && operation !== "requests") || stand.offers(operation);
}
