import type { RecordedExchange } from "../recording/recorded-exchange.ts";

/** A request that comes again sooner than this after its answer was sent at once. */
export const tooFastMs = 200;

/**
 * The same request, sent again after it was answered with this status, in the order of sending: each list is one caller
 * that tries. Requests that were under way at the same time are of several callers, so they are left out.
 */
export function repeatsOf(
  exchanges: readonly RecordedExchange[],
  status: number,
): readonly (readonly RecordedExchange[])[] {
  const chains = new Map<string, RecordedExchange[]>();
  for (const exchange of exchanges) {
    const key = keyOf(exchange);
    chains.set(key, [...(chains.get(key) ?? []), exchange]);
  }
  return [...chains.values()].filter(isOfOneCaller).flatMap((chain) => runsOf(chain, status));
}

function keyOf({ method, origin, target, body, headers }: RecordedExchange): string {
  const { authorization = "" } = headers;
  return [method, origin, target, authorization, body.bytes.toString("latin1")].join("\n");
}

function isOfOneCaller(chain: readonly RecordedExchange[]): boolean {
  return chain.every(({ arrivedMs }, index) => {
    const before = chain[index - 1];
    const endedMs = before?.answer?.beganMs ?? before?.brokenOff?.atMs ?? 0;
    return arrivedMs >= endedMs;
  });
}

/** The parts of a chain that were answered with the status, each with the request that followed. */
function runsOf(
  chain: readonly RecordedExchange[],
  status: number,
): readonly (readonly RecordedExchange[])[] {
  const runs: RecordedExchange[][] = [];
  let current: RecordedExchange[] | undefined;
  for (const exchange of chain) {
    if (current !== undefined) current.push(exchange);
    if (exchange.answer?.status !== status) {
      current = undefined;
    } else if (current === undefined) {
      current = [exchange];
      runs.push(current);
    }
  }
  return runs;
}
