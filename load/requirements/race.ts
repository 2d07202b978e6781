import { Inconclusive } from "../../harness/outcome.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadFindings } from "./findings.ts";
import { requireAnswers } from "./answers.ts";
import { refilledIn } from "./turns.ts";
import { costOf } from "../sent-load.ts";
import { withOperationReserved } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { tierOf, windowMs } from "../../openapi/operations.ts";
import type { Tally } from "./tally.ts";

const { limit, cap: together = limit } = tierOf("status");
const rounds = 5;
const places = 10;
/** The edge of an aligned window can fall into one round, or into two that are long, but not into three. */
const roundsThatProve = 3;

/** How often a round that took too long on a busy machine is sent again. */
const triesMax = 2;

interface Round {
  readonly raced: Tally;
  /** How many a bucket may have let through meanwhile, beyond the places that were left. */
  readonly refilled: number;
}

/**
 * Uses up the limit of status except for some places, then releases many requests at once: no more
 * than the cap of status, so that only the limit refuses.
 */
async function race(session: LoadSession, triesLeft = triesMax): Promise<Round> {
  const endpoint = await session.endpoint();
  await endpoint.ensureJobToRead();
  await endpoint.waitUntilRested("status");
  const beganMs = endpoint.nowMs;
  const before = await endpoint.send("status", limit - places);
  const raced = await endpoint.sendTogether("status", together);
  const tookMs = endpoint.nowMs - beganMs;
  requireAnswers(before, raced);
  if (before.refused > 0) throw new Inconclusive("the limit was reached before the race");
  if (tookMs > windowMs / 4) {
    if (triesLeft > 0) return race(session, triesLeft - 1);
    throw new Inconclusive(`a round took ${Math.round(tookMs)} ms, too long for one window`);
  }
  return { raced, refilled: refilledIn(tookMs, limit) };
}

async function raceAgainAndAgain(session: LoadSession, findings: LoadFindings): Promise<void> {
  const over: { readonly number: number; readonly round: Round }[] = [];
  for (let number = 1; number <= rounds; number += 1) {
    const round = await race(session);
    const { accepted } = round.raced;
    findings.figures[`round ${number}, accepted`] = accepted;
    if (accepted < places) {
      throw new Inconclusive(`${accepted} of ${places} places were free in the race`);
    }
    if (accepted > places + round.refilled) over.push({ number, round });
    // On a virtual clock no edge of a window comes between: one round proves it.
    if (over.length >= (round.refilled === 0 ? 1 : roundsThatProve)) break;
  }
  const [first, second, third] = over;
  if (first !== undefined && (third !== undefined || first.round.refilled === 0)) {
    const { raced, refilled } = first.round;
    const at = `round ${first.number}: status, ${places} places left, ${together} requests released together`;
    const most = refilled === 0 ? String(places) : `at most ${places + refilled}`;
    findings.equal(at, `${most} accepted`, `${raced.accepted} accepted`, raced.samples);
    return;
  }
  if (second !== undefined) {
    throw new Inconclusive(
      "two rounds let too many through, which an edge of a window may explain",
    );
  }
  findings.equal("status, races at the limit", "none too many", "none too many");
}

/** A limiter that looks first and counts later lets more through when requests come together. */
export const raceCheck: LoadCheck = {
  name: "rate/race-at-the-limit",
  title:
    "With 10 places left, 10 of 400 status requests released together are accepted, five times",
  covers: ["RATE-03"],
  needs: ["load"],
  usesUp: "status",
  realTimeMs: rounds * 2 * windowMs,
  sharedMs: () => (rounds + 2) * windowMs,
  cost: () => costOf("status", rounds * (limit - places + together), rounds),
  run: (session, findings) =>
    withOperationReserved(session, "status", () => raceAgainAndAgain(session, findings)),
};
