import type { LoadMeter } from "./meter.ts";

/** The most times that a request which prepares a check is sent while no whole answer comes. */
const sendsMax = 3;

/** The meter that knows whether the target is there, and the signal that stops the sending. */
interface Sending {
  readonly meter?: Pick<LoadMeter, "isThere"> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats a request that prepares a measurement, up to twice, where no answer came and the target is there. Measured
 * requests are never repeated.
 */
export async function untilAnswered<Result extends { readonly failure?: unknown }>(
  first: Result,
  sendAgain: () => Promise<Result>,
  { meter, signal }: Sending,
): Promise<Result> {
  let last = first;
  for (let sends = 1; last.failure !== undefined && sends < sendsMax; sends += 1) {
    // A request that a stop broke off failed for that reason alone.
    if (signal?.aborted === true || (await meter?.isThere()) === false) break;
    last = await sendAgain();
  }
  return last;
}
