import { monotonicNowMs } from "../../client/exchange.ts";
import type { Transport } from "../../client/transport.ts";
import { operationNamed } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { EndpointHandle } from "./clock-modes.ts";

/** The requests of one operation to one endpoint for which a slot was taken. */
interface TakenSlots {
  /** When each slot was taken, the oldest first; those that no longer count are left out. */
  readonly atMs: number[];
  /** Whether one was refused although it had a slot: then the limiter remembers for longer than a window. */
  wasRefused: boolean;
}

/** By endpoint and operation; one map for each run, found by its transport. */
const slotsByRun = new WeakMap<Transport, Map<string, TakenSlots>>();

type EndpointOfRun = Pick<EndpointHandle["api"]["options"], "transport" | "endpointId">;

/** Added to a window, so that a clock that runs differently does no harm. */
const marginMs = 500;

/**
 * After two windows without requests the full limit is there again with every kind of limiter (RATE-09), after one with
 * most kinds. A virtual clock always lets two go by.
 */
function silenceMsOf(operation: OperationName, { wasRefused }: TakenSlots): number {
  const { windowMs } = operationNamed[operation].rateLimit;
  return wasRefused ? 2 * windowMs + marginMs : windowMs + marginMs;
}

/**
 * Waits until the endpoint's rate limit allows one more request of an operation, and takes that slot. To be called
 * before every request of an operation with a low limit, such as purge-queue, since refused requests may count too
 * (docs/specification.md#counting-requests).
 */
export async function awaitRateLimitSlot(
  { api, time }: Pick<EndpointHandle, "api" | "time">,
  operation: OperationName,
): Promise<void> {
  const { requestsPerWindow, windowMs } = operationNamed[operation].rateLimit;
  if (requestsPerWindow === undefined) return;

  const slots = takenSlotsOf(api.options, operation);
  while (slots.atMs.length >= requestsPerWindow) {
    // Virtual time stands still between two calls of advance: how old the requests are is not known here.
    const waitMs = time.choose({
      virtual: 2 * windowMs + 1,
      real: rateLimitSlotsInMs(api.options, operation, 1),
    });
    if (waitMs > 0) await time.pass(waitMs);
    slots.atMs.splice(0, time.choose({ virtual: slots.atMs.length, real: 0 }));
  }
  slots.atMs.push(monotonicNowMs());
}

/** In how many milliseconds an endpoint's limit has room for so many requests, on a real clock; 0 where it has now. */
export function rateLimitSlotsInMs(
  endpoint: EndpointOfRun,
  operation: OperationName,
  count: number,
): number {
  const { requestsPerWindow } = operationNamed[operation].rateLimit;
  if (requestsPerWindow === undefined) return 0;
  const slots = takenSlotsOf(endpoint, operation);
  const { atMs } = slots;
  const oldestCountedMs = monotonicNowMs() - silenceMsOf(operation, slots);
  while ((atMs[0] ?? Infinity) <= oldestCountedMs) atMs.shift();
  const tooMany = atMs.length + Math.min(count, requestsPerWindow) - requestsPerWindow;
  const last = atMs[tooMany - 1];
  return last === undefined ? 0 : Math.max(1, last - oldestCountedMs);
}

/** To be called when a request that had a slot was refused for the limit all the same. */
export function noteRefusal(endpoint: EndpointOfRun, operation: OperationName): void {
  takenSlotsOf(endpoint, operation).wasRefused = true;
}

function takenSlotsOf(
  { transport, endpointId }: EndpointOfRun,
  operation: OperationName,
): TakenSlots {
  const slotsOfRun = slotsByRun.get(transport) ?? new Map<string, TakenSlots>();
  slotsByRun.set(transport, slotsOfRun);
  const key = `${operation} ${endpointId}`;
  const slots = slotsOfRun.get(key) ?? { atMs: [], wasRefused: false };
  slotsOfRun.set(key, slots);
  return slots;
}
