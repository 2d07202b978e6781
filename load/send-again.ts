import type { LoadMeter } from "./meter.ts";

/** How often a request that a check needs first is sent, at most, where no whole answer comes. */
const sendsMax = 3;

/** Whom a request is told to, and what stops it. */
interface Sending {
  readonly meter?: Pick<LoadMeter, "isThere"> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends what a check needs before it measures again, up to twice, where no answer came and the target is there. What
 * is measured is never sent again.
 */
export async function untilAnswered<Result extends { readonly failure?: unknown }>(
  first: Result,
  sendAgain: () => Promise<Result>,
  { meter, signal }: Sending,
): Promise<Result> {
  let last = first;
  for (let sends = 1; last.failure !== undefined && sends < sendsMax; sends += 1) {
    // What was stopped has failed for that alone.
    if (signal?.aborted === true || (await meter?.isThere()) === false) break;
    last = await sendAgain();
  }
  return last;
}
