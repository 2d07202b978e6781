import { isOwnFault } from "../../openapi/operations.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import type { ProbeRequest } from "../probe/request.ts";

/** An exchange that stands for others of its status. */
export interface Sample {
  readonly request: ProbeRequest;
  readonly apiKey: string;
  readonly exchange: ProbeExchange;
}

/** What became of many requests of one operation. */
export interface Tally {
  /** 2xx. */
  readonly accepted: number;
  /** 429. */
  readonly refused: number;
  /** How often each status came, in words: `2000 × 200, 1 × 429`. */
  readonly words: string;
  /** One exchange of each status. */
  readonly samples: readonly Sample[];
  readonly exchanges: readonly ProbeExchange[];
}

export function isAccepted({ answer }: ProbeExchange): boolean {
  return answer !== undefined && answer.status >= 200 && answer.status < 300;
}

export function isRefused({ answer }: ProbeExchange): boolean {
  return answer?.status === 429;
}

/** Whether a limiter let a request through: it was accepted, or what stands behind the limiter broke on it. */
export function isLetThrough(exchange: ProbeExchange): boolean {
  return isAccepted(exchange) || isOwnFault(exchange.answer?.status ?? 0);
}

/** Counts exchanges; the requests stand in the same order. */
export function tally(
  exchanges: readonly ProbeExchange[],
  requests: readonly ProbeRequest[],
  apiKey: string,
): Tally {
  const counts = new Map<string, number>();
  const samples: Sample[] = [];
  exchanges.forEach((exchange, at) => {
    const status = exchange.answer === undefined ? "no answer" : String(exchange.answer.status);
    const request = requests[at] ?? requests[0];
    if (!counts.has(status) && request !== undefined) samples.push({ request, apiKey, exchange });
    counts.set(status, (counts.get(status) ?? 0) + 1);
  });
  const accepted = exchanges.filter(isAccepted).length;
  const refused = exchanges.filter(isRefused).length;
  const words = [...counts].map(([status, count]) => `${count} × ${status}`).join(", ");
  return { accepted, refused, words, samples, exchanges };
}

/** What became of the requests of several tallies together. */
export function joined(tallies: readonly Tally[]): Omit<Tally, "words"> {
  return {
    accepted: tallies.reduce((sum, { accepted }) => sum + accepted, 0),
    refused: tallies.reduce((sum, { refused }) => sum + refused, 0),
    samples: tallies.flatMap(({ samples }) => samples),
    exchanges: tallies.flatMap(({ exchanges }) => exchanges),
  };
}
