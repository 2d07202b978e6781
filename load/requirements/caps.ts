import { setTimeout as pause } from "node:timers/promises";

import type { OperationName } from "../../openapi/index.ts";
import { Undecided } from "./check.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { isOffered, roomy } from "./exhaustion.ts";
import type { Findings } from "./findings.ts";
import type { Flight } from "./flight.ts";
import { demandAnswers, needsOf } from "./rate.ts";
import { oncePer } from "./stand.ts";
import type { Stand } from "./stand.ts";
import { cappedTiers } from "./table.ts";
import type { CappedTier } from "./table.ts";
import { isAccepted } from "./tally.ts";
import type { Tally } from "./tally.ts";

const requestsBeyond = 3;
/** How long a picture other than the expected one may take to become it. */
const settleMsMax = 600;
const steadyMs = 25;

/** What was seen while the answers of one operation were held back. */
interface Filling {
  readonly inFlight: number;
  /** The answers that came though everything was held, and the others once the hold had ended. */
  readonly all: Tally;
  readonly others: ReadonlyMap<OperationName, Tally>;
  readonly elsewhere: Tally;
  /** Whether the timestamps show every one that was accepted in flight at one moment. */
  readonly isOverlapShown: boolean;
}

/** Waits until as many requests are in flight as expected and stay there, or until that has had time enough. */
async function settled(endpoint: LoadEndpoint, flight: Flight, expected: number): Promise<number> {
  const giveUpMs = performance.now() + settleMsMax;
  let steadySinceMs: number | undefined;
  while (performance.now() < giveUpMs) {
    // An answer that comes later than this one was not held up by the target.
    await endpoint.health();
    const nowMs = performance.now();
    if (flight.pending !== expected) steadySinceMs = undefined;
    else if (nowMs - (steadySinceMs ??= nowMs) > steadyMs) break;
    await pause(2);
  }
  return flight.pending;
}

const filled = oncePer(async (stand: Stand, tier: CappedTier): Promise<Filling> => {
  const { operation, cap } = tier;
  const endpoint = await stand.endpoint(roomy);
  await prepare(endpoint, operation, cap + requestsBeyond);
  await endpoint.hold(operation, true);
  const flight = await endpoint.fly(operation, cap + requestsBeyond);
  const inFlight = await settled(endpoint, flight, cap);
  const others = new Map<OperationName, Tally>();
  for (const other of cappedTiers.filter((each) => isOffered(stand, each))) {
    if (other.operation === operation) continue;
    // Status and stream read a job that run makes, and cancel takes one: not while run is full.
    const needsRun = ["status", "stream", "cancel"].includes(other.operation);
    if (operation === "run" && needsRun) continue;
    others.set(other.operation, await endpoint.send(other.operation, 1));
  }
  const elsewhere = await (await stand.endpoint()).send(operation, 1);
  const releasedMs = performance.now();
  await endpoint.hold(operation, false);
  const all = await flight.end();
  const accepted = all.shots.filter((shot) => isAccepted(shot));
  const isOverlapShown = accepted.every(
    ({ sentMs, firstByteMs = 0 }) => sentMs < releasedMs && firstByteMs >= releasedMs,
  );
  return { inFlight, all, others, elsewhere, isOverlapShown };
});

/** What the requests need is made before anything is held. */
async function prepare(
  endpoint: LoadEndpoint,
  operation: OperationName,
  count: number,
): Promise<void> {
  if (operation === "cancel") await endpoint.stock(count);
  if (operation === "status" || operation === "stream") await endpoint.readyJob();
}

const capChecks: readonly LoadCheck[] = cappedTiers.map((tier) => ({
  name: `concurrency/cap-of-${tier.operation}`,
  title: `${tier.operation}: ${String(tier.cap)} in flight are accepted, one more answers 429`,
  covers: tier.concurrency,
  needs: [...needsOf(tier.operation), "hold", "endpoints"],
  realTimeMs: 0,
  requests: tier.cap + requestsBeyond + 20,
  jobs: tier.cap + requestsBeyond + 5,
  run: async (stand, findings) => {
    const { inFlight, all, isOverlapShown } = await filled(stand, tier);
    demandAnswers(all);
    findings.figures["in flight"] = inFlight;
    findings.figures["decided by"] = "held answers";
    const at = `${tier.operation}, ${String(tier.cap + requestsBeyond)} requests while its answers are held`;
    const expected = `${String(tier.cap)} in flight`;
    findings.equal(at, expected, `${String(inFlight)} in flight`, all.samples);
    const refused = all.shots.filter((shot) => !isAccepted(shot));
    const words = refused.every(({ answer }) => answer?.status === 429) ? "429" : all.words;
    findings.equal(`${tier.operation}, the requests above the cap`, "429", words, all.samples);
    if (findings.mismatches.length === 0 && !isOverlapShown) {
      throw new Undecided("the timestamps do not show that they were in flight at one moment");
    }
  },
}));

/** Whether one more request is taken in before patience ends: it stays in flight, and is not refused. */
async function takesOneMore(endpoint: LoadEndpoint, operation: OperationName): Promise<boolean> {
  const giveUpMs = performance.now() + settleMsMax;
  for (let tries = 0; tries < 5 && performance.now() < giveUpMs; tries += 1) {
    const flight = await endpoint.fly(operation, 1);
    await endpoint.health();
    await pause(tries * 20 + 5);
    if (flight.pending === 1) return true;
  }
  return false;
}

async function judgeFreeing(
  { operation, cap }: CappedTier,
  stand: Stand,
  findings: Findings,
): Promise<void> {
  const endpoint = await stand.endpoint();
  await prepare(endpoint, operation, 2 * cap + 12);
  await endpoint.hold(operation, true);
  const first = await endpoint.fly(operation, cap);
  if ((await settled(endpoint, first, cap)) !== cap) return;
  first.breakOff(1);
  const afterBreak = await takesOneMore(endpoint, operation);
  const broken = `${operation}, full, once one request was broken off`;
  findings.equal(broken, "one more is accepted", afterBreak ? "one more is accepted" : "429");

  await endpoint.hold(operation, false);
  await first.end();
  await endpoint.hold(operation, true);
  const second = await endpoint.fly(operation, cap);
  const again = await settled(endpoint, second, cap);
  const finished = `${operation}, once all requests were answered`;
  findings.equal(finished, `${String(cap)} in flight`, `${String(again)} in flight`);
  await endpoint.hold(operation, false);
  await second.end();
}

const freeing: LoadCheck = {
  name: "concurrency/places-are-freed",
  title: "A finished or broken-off request frees its place at once, operation by operation",
  covers: "CONC-08",
  needs: ["load", "handler", "hold", "endpoints"],
  realTimeMs: 0,
  requests: 3_700,
  jobs: 1_300,
  run: async (stand, findings) => {
    for (const tier of cappedTiers.filter((each) => isOffered(stand, each))) {
      await judgeFreeing(tier, stand, findings);
    }
    if (findings.comparisons === 0) throw new Undecided("no cap could be reached");
  },
};

const isolation: LoadCheck = {
  name: "concurrency/per-endpoint-and-operation",
  title: "While one operation is full, every other and another endpoint are not",
  covers: "CONC-09",
  needs: ["load", "hold", "endpoints"],
  realTimeMs: 0,
  requests: 60,
  jobs: 20,
  run: async (stand, findings) => {
    for (const tier of cappedTiers.filter((each) => isOffered(stand, each))) {
      const { others, elsewhere, inFlight } = await filled(stand, tier);
      // A cap that was not reached shows nothing: its own requirement says so.
      if (inFlight > tier.cap) continue;
      const places: readonly (readonly [string, Tally])[] = [
        ...others,
        [`${tier.operation} of another endpoint`, elsewhere],
      ];
      for (const [place, one] of places) {
        demandAnswers(one);
        const at = `${place} while ${tier.operation} is full`;
        findings.equal(at, "accepted", one.refused === 0 ? "accepted" : one.words, one.samples);
      }
    }
    if (findings.comparisons === 0) throw new Undecided("no cap could be reached");
  },
};

export const concurrencyChecks: readonly LoadCheck[] = [...capChecks, freeing, isolation];
