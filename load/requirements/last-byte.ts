import { setTimeout as pause } from "node:timers/promises";

import type { LoadEndpoint } from "./endpoint.ts";
import { mostInFlight } from "./overlap.ts";
import type { CappedTier } from "../../openapi/operations.ts";
import { isAccepted } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** What rounds of requests whose last bytes went out together showed of a cap. */
export interface Rounds {
  readonly count: number;
  /** The round that says most: the one with a refusal that accepted the fewest, else the last. */
  readonly telling: Tally;
  /** Whether any request was refused at all. */
  readonly isRefusing: boolean;
  /** The most accepted requests that one round shows in flight at one moment. */
  readonly shown: number;
}

const roundsMax = 5;
/** The largest share of a limit that rounds use up. */
export const roundsShare = 0.95;
const beyondInTurn = [1, 5] as const;
/** The pause after each round, so that nothing of it is still in flight in the next. */
const betweenMs = 100;

/**
 * Releases rounds of one request more than the cap and of five more, in turn, as often as the limit of one window
 * allows. A refusal shows that the cap is no higher than what its round accepted; without one nothing is known,
 * because a quick target never has them in hand at the same time.
 */
export async function lastByteRounds(
  endpoint: LoadEndpoint,
  { operation, cap, limit }: CappedTier,
): Promise<Rounds> {
  const tallies: Tally[] = [];
  let left = Math.floor(limit * roundsShare);
  for (let round = 0; round < roundsMax; round += 1) {
    const beyond = beyondInTurn[round % beyondInTurn.length] ?? 1;
    const count = cap + Math.min(beyond, left - cap);
    if (count <= cap) break;
    left -= count;
    tallies.push(await endpoint.sendTogether(operation, count));
    await pause(betweenMs);
  }
  const refusing = tallies
    .filter(({ accepted, exchanges }) => accepted < exchanges.length)
    .toSorted((one, other) => one.accepted - other.accepted);
  const telling = refusing[0] ?? tallies.at(-1);
  if (telling === undefined) throw new Error(`no round of ${operation} fits into its limit`);
  const shown = Math.max(
    ...tallies.map(({ exchanges }) => mostInFlight(exchanges.filter(isAccepted))),
  );
  return { count: tallies.length, telling, isRefusing: refusing.length > 0, shown };
}
