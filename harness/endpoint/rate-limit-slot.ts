import { monotonicNowMs } from "../../client/index.ts";
import type { Transport } from "../../client/index.ts";
import { operationNamed } from "../../openapi/index.ts";
import type { OperationName } from "../../openapi/index.ts";
import type { EndpointHandle } from "./endpoint-handle.ts";

/** When the requests announced so far were made, by endpoint and operation; one book for each run. */
const books = new WeakMap<Transport, Map<string, number[]>>();

/** After two windows of silence the full limit is there again, whatever the kind of limiter (RATE-09). */
const silentWindows = 2;

/**
 * Call it before a request of an operation with a low limit, such as purge-queue: waits until the endpoint's limit
 * surely has room for one more, and takes that room. Refused requests may count too
 * (docs/specification.md#counting-requests).
 */
export async function awaitRateLimitSlot(
  { api, time }: EndpointHandle,
  operation: OperationName,
): Promise<void> {
  const { requestsPerWindow, windowMs } = operationNamed[operation].rateLimit;
  if (requestsPerWindow === undefined) return;

  const silenceMs = silentWindows * windowMs + 1;
  const made = madeSoFar(api.options, operation);
  while (made.length >= requestsPerWindow) {
    const ageMs = monotonicNowMs() - (made[0] ?? 0);
    // Virtual time stands still between two calls of advance: how old the requests are is not known here.
    const waitMs = time.choose({ virtual: silenceMs, real: silenceMs - ageMs });
    if (waitMs > 0) await time.pass(waitMs);
    made.splice(0, time.choose({ virtual: made.length, real: 1 }));
  }
  made.push(monotonicNowMs());
}

function madeSoFar(
  { transport, endpointId }: EndpointHandle["api"]["options"],
  operation: OperationName,
): number[] {
  const book = books.get(transport) ?? new Map<string, number[]>();
  books.set(transport, book);
  const key = `${operation} ${endpointId}`;
  const made = book.get(key) ?? [];
  book.set(key, made);
  return made;
}
