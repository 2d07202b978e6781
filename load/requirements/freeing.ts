import { setTimeout as pause } from "node:timers/promises";

import { Inconclusive } from "../../harness/outcome.ts";
import type { LoadCheck } from "./check.ts";
import { prepareOperation } from "./caps.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { holdInFlight, sleepMs, waysOf } from "./hold-in-flight.ts";
import type { HeldRequests, WayToHold } from "./hold-in-flight.ts";
import type { LoadFindings } from "./findings.ts";
import {
  judgeSlotsAfterRefusals,
  slotsAfterRefusalsCost,
  canJudgeSlotsAfterRefusals,
} from "./slots-after-refusals.ts";
import { isOffered, manyWorkers } from "./load-session.ts";
import { sumOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";
import type { LoadSession } from "./load-session.ts";
import { cappedTiers, windowMs } from "../../openapi/operations.ts";
import type { CappedTier } from "../../openapi/operations.ts";

/** How long a slot may take to be free: the target has to notice that its client is gone. */
const freeMsMax = 3_000;
const firstPauseMs = 5;
const triesMax = 12;
const refillsMax = 2;

/** How many tries are made: refusals may count as well, so all requests together must stay below the limit. */
function triesOf({ limit, cap }: CappedTier): number {
  return Math.min(triesMax, limit - (1 + refillsMax) * cap - 1);
}

/** Whether one more request is taken in before the time limit ends. */
async function takesOneMore(held: HeldRequests, tier: CappedTier): Promise<boolean> {
  const giveUpMs = performance.now() + freeMsMax;
  const most = triesOf(tier);
  for (let tries = 1; tries <= most; tries += 1) {
    const leftMs = giveUpMs - performance.now();
    if (leftMs <= 0 && tries > 1) return false;
    // However few tries the limit leaves, the last one comes when the time limit ends.
    await pause(tries === most ? leftMs : Math.min(leftMs, firstPauseMs * 2 ** (tries - 1)));
    if (await held.tryOne()) return true;
  }
  return false;
}

/** Fills the operation to its cap, a second time if slots were not free yet; returns the most that were accepted. */
async function fillAgain(
  endpoint: LoadEndpoint,
  way: WayToHold,
  tier: CappedTier,
): Promise<number> {
  const { operation, cap } = tier;
  let most = 0;
  for (let tries = 0; tries < refillsMax && most < cap; tries += 1) {
    if (tries > 0) await pause(freeMsMax / 2);
    if (endpoint.access.isVirtual) await endpoint.waitUntilRested(operation);
    const held = await holdInFlight(endpoint, way, tier);
    const { all } = await held.end();
    most = Math.max(most, all.accepted);
  }
  return most;
}

interface Judging {
  readonly session: LoadSession;
  readonly findings: LoadFindings;
  /** Whether this way also has to judge the slots of answered requests, as no stronger way has done so. */
  readonly isFirstWay: boolean;
}

/** Judges one operation in one way; false where its cap was not seen to be reached. */
async function judgeFreeing(
  way: WayToHold,
  tier: CappedTier,
  { session, findings, isFirstWay }: Judging,
): Promise<boolean> {
  const { operation, cap } = tier;
  const endpoint = await session.endpoint(manyWorkers);
  try {
    await prepareOperation(endpoint, operation, (1 + refillsMax) * cap + triesMax);
    const held = await holdInFlight(endpoint, way, tier);
    const isFull = held.inFlight === cap && held.isCountedByTarget && !(await held.tryOne());
    if (!isFull) {
      await held.end();
      return false;
    }
    held.flight.breakOff(1);
    const isFreed = await takesOneMore(held, tier);
    const where = way === "held bodies" ? " in the middle of its body" : "";
    const broken = `${operation}, full, once one request was broken off${where}`;
    findings.equal(broken, "one more is accepted", isFreed ? "one more is accepted" : "429");
    await held.end();
    if (!isFirstWay) return true;
    const again = await fillAgain(endpoint, way, tier);
    const finished = `${operation}, once all requests were answered`;
    findings.equal(finished, `${cap} in flight`, `${again} in flight`);
    return true;
  } finally {
    // Hundreds of connections for each operation add up.
    endpoint.closeFlights();
  }
}

async function judgeAll(session: LoadSession, findings: LoadFindings): Promise<void> {
  const unseen: string[] = [];
  for (const tier of cappedTiers.filter((each) => isOffered(session, each))) {
    let isSeen = false;
    // The strongest way, and held bodies besides, because a request can break off in the middle of its body.
    const [strongest, ...rest] = waysOf(session, tier.operation);
    const ways = [strongest, ...rest.filter((way) => way === "held bodies")];
    for (const way of ways.filter((each) => each !== undefined)) {
      isSeen =
        (await judgeFreeing(way, tier, { session, findings, isFirstWay: !isSeen })) || isSeen;
      // A lost slot stays lost: later tries on the same endpoint would only wait for it.
      if (findings.mismatches.length > 0) return;
    }
    if (!isSeen) unseen.push(tier.operation);
  }
  if (unseen.length > 0) findings.figures["cap not reached"] = unseen.join(", ");
  if (findings.comparisons === 0) throw new Inconclusive("no cap could be reached");
}

/** What it takes to fill each operation, free slots and fill it again. */
const fills: LoadCost = {
  requests: {
    runsync: 2_500,
    run: 900,
    status: 1_250,
    stream: 1_250,
    cancel: 400,
    openai: 1_250,
    requests: 100,
  },
  jobs: { runsync: 2_500, run: 900 },
};

/** The same where only requests with a body can be kept in flight. */
const fillsOfBodies: LoadCost = {
  requests: { runsync: 1_300, run: 450, openai: 1_250 },
  jobs: { runsync: 1_300, run: 450 },
};

export const freeingCheck: LoadCheck = {
  name: "concurrency/places-are-freed",
  title:
    "A finished, refused or broken-off request frees its own place at once, operation by operation",
  covers: ["CONC-08"],
  needs: ["load", "handler"],
  realTimeMs: 4 * (2 * windowMs + 2 * sleepMs),
  sharedMs: () => 4 * windowMs,
  cost: (on) => {
    if (canJudgeSlotsAfterRefusals(on)) return sumOf([fills, slotsAfterRefusalsCost]);
    return on.makesEndpoints ? fills : fillsOfBodies;
  },
  run: async (session, findings) => {
    await judgeAll(session, findings);
    await judgeSlotsAfterRefusals(session, findings);
  },
};
