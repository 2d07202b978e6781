import type { CappedTier, OperationName } from "../../openapi/operations.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { isAccepted } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Why requests showed nothing. */
export interface Doubt {
  readonly why: string;
  /** Whether this target can never show more to this machine in this way. */
  readonly isForGood: boolean;
}

export function doubt(why: string, isForGood = false): Doubt {
  return { why, isForGood };
}

export const loneRequests = 3;
/** Answers that take no longer are given before the target has the next request of a round. */
const quickMs = 20;
/** Requests are in hand at once if sending them all takes no more than this share of the time of one answer. */
const sendingShareMax = 0.25;

/** The shortest answer time, in ms, of a few requests that are sent alone; undefined where one is not accepted. */
export async function loneAnswerMs(
  endpoint: LoadEndpoint,
  operation: OperationName,
): Promise<number | undefined> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let at = 0; at < loneRequests; at += 1) {
    const { exchanges } = await endpoint.send(operation, 1, 1);
    const [exchange] = exchanges;
    if (exchange === undefined || !isAccepted(exchange)) return undefined;
    leastMs = Math.min(leastMs, exchange.answeredMs - exchange.sentMs);
  }
  return leastMs;
}

interface Overlap {
  readonly sent: string;
  readonly telling: Tally;
  readonly loneMs: number | undefined;
}

/** Why rounds in which everything was accepted show nothing of a cap, with what was measured. */
export function overlapDoubt({ cap }: CappedTier, { sent, telling, loneMs }: Overlap): Doubt {
  const sentMs = telling.exchanges.map((exchange) => exchange.sentMs);
  const sendingMs = Math.max(...sentMs) - Math.min(...sentMs);
  const accepted = `${sent} were all accepted`;
  if (loneMs === undefined || loneMs > Math.max(quickMs, sendingMs / sendingShareMax)) {
    return doubt(`${accepted}: they may never have been in hand at once`);
  }
  const measured = `an answer takes ${loneMs.toFixed(1)} ms and sending a round ${sendingMs.toFixed(1)} ms`;
  const wouldShow = "answers that take longer, or the capability hold with control, would show it";
  return doubt(`${accepted}: ${measured}, so ${cap} are never in hand at once; ${wouldShow}`, true);
}
