import { setTimeout as pause } from "node:timers/promises";

import type { CappedTier, OperationName } from "../../openapi/operations.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import type { InFlight } from "./in-flight.ts";
import { inFlightAt, mostInFlight } from "./overlap.ts";
import { hasBody } from "./requests.ts";
import type { RequestParts } from "./requests.ts";
import type { LoadSession } from "./load-session.ts";
import { isAccepted } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** The ways to keep requests in flight, the strongest first. */
const waysToHold = ["jobs that sleep", "held answers", "held bodies"] as const;
export type WayToHold = (typeof waysToHold)[number];

/** Requests of one operation that stay in flight until they are released. */
export interface HeldRequests {
  readonly way: WayToHold;
  readonly flight: InFlight;
  /** How many were in flight once the count stood still. */
  readonly inFlight: number;
  /** Whether the target counts them: it refused a request, or they were sent whole, which always counts. */
  readonly isCountedByTarget: boolean;
  /** Puts one more in flight, of the form given where requests are held as a whole; false where it was refused. */
  tryOne(parts?: RequestParts): Promise<boolean>;
  /** Releases them, and returns what became of them. */
  end(): Promise<ReleasedRequests>;
}

export interface ReleasedRequests {
  readonly all: Tally;
  /** How many of the accepted ones were in flight at one moment, by their timestamps. */
  readonly shown: number;
  /** What became of those that `tryOne` kept in flight, in the order in which they were tried. */
  readonly more: readonly Tally[];
}

/** How long the number in flight may take to become the expected one. */
const settleMsMax = 2_000;
const steadyMs = 25;
/** One more request counts as held if it has no answer for so long, nor while the target answers others after it. */
const oneMoreMsMax = 250;
const answersAfter = 5;
/** How long runsync waits for a job that sleeps: then it answers, whatever the job does. */
export const sleepMs = 4_000;

/** A job that runs longer than its request waits, and is gone from the queue soon after. */
const sleeping: RequestParts = {
  waitMs: sleepMs,
  body: JSON.stringify({
    input: { op: "sleep", ms: sleepMs + 1_000 },
    policy: { ttl: 3 * sleepMs, executionTimeout: 2 * sleepMs },
  }),
};

/** How requests of the operation can be kept in flight, the strongest way first. */
export function waysOf(session: LoadSession, operation: OperationName): readonly WayToHold[] {
  return waysToHold.filter((way) => {
    if (way === "held answers") return session.offers("hold") && session.makesEndpoints;
    if (way === "held bodies") return hasBody(operation);
    return operation === "runsync" && session.offers("handler");
  });
}

/** The operation of which requests are held, and how many of them should be in flight when the count stands still. */
type Held = Pick<CappedTier, "operation" | "cap">;

/** Puts requests in flight, as many as the cap or `count`, each on a connection of its own, and keeps them there. */
export function holdInFlight(
  endpoint: LoadEndpoint,
  way: WayToHold,
  tier: Held,
  count = tier.cap,
): Promise<HeldRequests> {
  if (way === "held bodies") return holdByBodies(endpoint, tier, count);
  return holdByAnswers(endpoint, way, tier, count);
}

async function holdByAnswers(
  endpoint: LoadEndpoint,
  way: "held answers" | "jobs that sleep",
  { operation, cap }: Held,
  count: number,
): Promise<HeldRequests> {
  const isHeld = way === "held answers";
  const particulars = isHeld ? {} : sleeping;
  if (isHeld) await endpoint.hold(operation, true);
  const flight = await endpoint.putInFlight(operation, count, particulars);
  const inFlight = await settled(endpoint, flight, cap);
  const more: InFlight[] = [];
  return {
    way,
    flight,
    inFlight,
    isCountedByTarget: true,
    tryOne: async (parts = {}) => {
      const one = await endpoint.putInFlight(operation, 1, { ...particulars, ...parts });
      more.push(one);
      return isHeldFor(endpoint, one);
    },
    end: async () => {
      const releasedMs = performance.now();
      if (isHeld) await endpoint.hold(operation, false);
      // On a virtual clock a job sleeps until somebody advances it.
      else if (endpoint.access.isVirtual) await endpoint.wait(2 * sleepMs);
      const all = await flight.end();
      const ended = await Promise.all(more.map((one) => one.end()));
      const accepted = all.exchanges.filter(isAccepted);
      const shown = isHeld ? inFlightAt(accepted, releasedMs) : mostInFlight(accepted);
      return { all, shown, more: ended };
    },
  };
}

const probesMax = 3;
/** Shorter, because rounds of whole requests decide where nothing is refused early. */
const bodiesSettleMsMax = 500;
const headsReadMs = 300;

/** Holds back last bytes: a target that counts requests by their heads refuses one more meanwhile. */
async function holdByBodies(
  endpoint: LoadEndpoint,
  { operation, cap }: Held,
  count: number,
): Promise<HeldRequests> {
  const flight = await endpoint.holdBodies(operation, count);
  const inFlight = await settled(endpoint, flight, cap, bodiesSettleMsMax);
  const tryOne = async (): Promise<boolean> => (await endpoint.send(operation, 1, 1)).accepted > 0;
  let isCountedByTarget = inFlight < count && flight.accepted === 0;
  // Without a refusal nothing shows when the target has read all heads, so it gets time to do so.
  if (!isCountedByTarget) await pause(headsReadMs);
  for (let probes = 0; !isCountedByTarget && probes < probesMax; probes += 1) {
    isCountedByTarget = !(await tryOne());
    if (!isCountedByTarget) await pause(steadyMs);
  }
  return {
    way: "held bodies",
    flight,
    inFlight,
    isCountedByTarget,
    tryOne,
    end: async () => {
      flight.release();
      const all = await flight.end();
      // If the target counted them, all were in flight together until the first was released.
      const shown = isCountedByTarget ? all.accepted : 0;
      return { all, shown, more: [] };
    },
  };
}

/** Whether the target holds a request: where the target or this process stands still, its answer is only late. */
async function isHeldFor(endpoint: LoadEndpoint, one: InFlight): Promise<boolean> {
  const giveUpMs = performance.now() + oneMoreMsMax;
  while (one.pending > 0 && performance.now() < giveUpMs) await pause(2);
  for (let answers = 0; one.pending > 0 && answers < answersAfter; answers += 1) {
    await endpoint.health();
    await pause(steadyMs);
  }
  return one.pending > 0;
}

/**
 * Waits until no more requests are in flight than expected and their number stands still, or until
 * `msMax` have passed. Returns how many are in flight.
 */
async function settled(
  endpoint: LoadEndpoint,
  flight: InFlight,
  expected: number,
  msMax = settleMsMax,
): Promise<number> {
  const giveUpMs = performance.now() + msMax;
  let before = { pending: Number.NaN, sinceMs: 0 };
  while (performance.now() < giveUpMs) {
    // An answer that comes later than this one was not held up by the target.
    await endpoint.health();
    const nowMs = performance.now();
    const { pending } = flight;
    if (pending === 0) break;
    if (pending !== before.pending) before = { pending, sinceMs: nowMs };
    else if (pending <= expected && nowMs - before.sinceMs > steadyMs) break;
    await pause(2);
  }
  return flight.pending;
}
