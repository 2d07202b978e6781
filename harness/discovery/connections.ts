import type { Transport, TransportRequest } from "../../client/transport.ts";
import type { Discovery } from "./discovery.ts";

const id = "one-connection";
const withinMs = 1500;

/**
 * Learns that a target answers on no second connection while one is open, as a server with one thread does that keeps
 * connections alive: all but the first request would wait for ever.
 * @param transport one with an idle connection to the target
 */
export async function learnConnections(
  discovery: Discovery,
  transport: Transport,
  baseUrl: string,
): Promise<void> {
  const request: TransportRequest = {
    method: "GET",
    url: `${baseUrl}/`,
    headers: {},
    body: undefined,
    timeoutMs: withinMs,
    signal: undefined,
  };
  const second = await transport.send({ ...request, newConnection: true });
  discovery.count(second);
  if (second.failure?.kind !== "timeout") return;
  const first = await transport.send(request);
  discovery.count(first);
  if (first.answer === undefined) return;
  discovery.learn({
    id,
    topic: "front",
    text: "while one connection is open, no other one is answered",
    adapted: "each request has a connection of its own, which is closed after the answer",
    seen: [],
  });
}

/** Whether each request needs a connection of its own. */
export function needsNewConnections(discovery: Discovery | undefined): boolean {
  return discovery?.knows(id) === true;
}
