import type { RequestRules } from "../client/request-rules.ts";
import { Transport } from "../client/transport.ts";
import { needsNewConnections, oneConnectionId } from "./discovery/connections.ts";
import type { Discovery } from "./discovery/discovery.ts";
import type { TransportResult } from "../client/exchange.ts";

/** A target that answers one request after the other lets no more wait than a few: what is beyond them is dropped. */
const inFlightMax = 4;
/** A small server lets few connections wait until it takes them. */
const newAtOnceMax = 16;

/** Opens connections of which is learned where an answer comes on them that no request asked for. */
export function openTransport(
  rules: RequestRules,
  discovery: Discovery | undefined,
  connections?: number,
): Transport {
  const transport = new Transport(rules, connections);
  transport.keepsAlive = !needsNewConnections(discovery);
  if (needsNewConnections(discovery)) {
    transport.inFlightMax = discovery?.knows(oneConnectionId) === true ? inFlightMax : newAtOnceMax;
  }
  transport.onUnsolicited = () => {
    discovery?.learn({
      id: "unsolicited-answers",
      topic: "answers",
      text: "an answer came on a kept-alive connection that no request had asked for; one like it may have been taken for the answer of the next request",
      adapted: "its connection is ended",
      seen: [],
    });
  };
  return transport;
}

/** Sends two harmless requests. Returns the first answer, or a failure where neither is answered. */
export async function probeTarget(
  transport: Transport,
  baseUrl: string,
  timeoutMs: number,
): Promise<TransportResult> {
  const asked = ["/", "/v2/queueproof-probe/health"].map(async (path) =>
    transport.send({
      method: "GET",
      url: baseUrl + path,
      headers: {},
      body: undefined,
      timeoutMs,
      signal: undefined,
      newConnection: true,
    }),
  );
  const first = await Promise.race(asked);
  if (first.answer !== undefined) return first;
  return (await Promise.all(asked)).find(({ answer }) => answer !== undefined) ?? first;
}
