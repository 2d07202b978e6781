import { setTimeout as sleep } from "node:timers/promises";

import { monotonicNowMs } from "../../client/exchange.ts";
import { operationNamed } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";

/** A little more than the 10 s of a window, so that a clock that runs differently does no harm. */
const windowMs = 10_500;
/** The share of a large limit that the harness uses; the rest stays free for whoever else uses the endpoint. */
const shareUsed = 0.9;

/**
 * Keeps a run below the rate limits it is not testing (docs/specification.md#rate-limits): on a shared endpoint every
 * request counts together with those of the other checks. Allows at most the limit in any span of a window's length,
 * which every kind of limiter accepts.
 */
export class Throttle {
  readonly #sent = new Map<OperationName, number[]>();

  /**
   * Resolves when a request of the operation may be sent, with the milliseconds for which it was held back.
   * @param onHeld called before it is held back
   */
  async admit(
    operation: OperationName,
    signal?: AbortSignal,
    onHeld?: () => void,
  ): Promise<number> {
    const limit = limitOf(operation);
    if (limit === undefined) return 0;
    const askedAtMs = monotonicNowMs();
    const sent = this.#sent.get(operation) ?? [];
    this.#sent.set(operation, sent);
    for (;;) {
      const nowMs = monotonicNowMs();
      while ((sent[0] ?? nowMs) < nowMs - windowMs) sent.shift();
      const oldest = sent[0];
      if (oldest === undefined || sent.length < limit) break;
      onHeld?.();
      await sleep(oldest + windowMs - nowMs + 1, undefined, { signal });
    }
    const admittedAtMs = monotonicNowMs();
    sent.push(admittedAtMs);
    return admittedAtMs - askedAtMs;
  }
}

/** How long the last of so many requests waits for its turn, in milliseconds. */
export function throttledMsOf(operation: OperationName, requests: number): number {
  const limit = limitOf(operation);
  if (limit === undefined || requests <= limit) return 0;
  return Math.floor((requests - 1) / limit) * windowMs;
}

function limitOf(operation: OperationName): number | undefined {
  const limit = operationNamed[operation].rateLimit.requestsPerWindow;
  if (limit === undefined) return undefined;
  return limit <= 10 ? limit : Math.floor(limit * shareUsed);
}
