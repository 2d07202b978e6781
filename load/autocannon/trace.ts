import type { EventEmitter } from "node:events";

import { writeTraceIds } from "../../client/request-rules.ts";

const name = "traceparent: ";

/**
 * Gives each request of a connection a trace of its own. Overwrites the bytes of the request, because building it anew
 * takes a third more time. Only one request is in flight at a time, so its bytes are free when the next is sent.
 */
export function traceEach(client: EventEmitter): void {
  let known: Buffer | undefined;
  let at = 0;
  client.on("request", () => {
    const bytes = bytesOf(client);
    if (bytes !== known) at = bytes.indexOf(name, 0, "latin1") + name.length;
    known = bytes;
    writeTraceIds(bytes, at);
  });
}

/** The request that the connection sends next. @throws TypeError where autocannon does not show it */
function bytesOf(client: EventEmitter): Buffer {
  if (showsRequests(client)) return client.getRequestBuffer();
  throw new TypeError("autocannon does not show its requests: no traceparent can be given to each");
}

function showsRequests(client: object): client is { readonly getRequestBuffer: () => Buffer } {
  return "getRequestBuffer" in client && typeof client.getRequestBuffer === "function";
}
