import type { Socket } from "node:net";

import { openSocket } from "../../client/connect.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import type { Transport, TransportRequest } from "../../client/transport.ts";
import { describeAnswer } from "../read.ts";
import { unknownJob } from "./asker.ts";
import type { Discovery } from "./discovery.ts";

/** The id of the cause that the target answers on one connection at a time. */
export const oneConnectionId = "one-connection";
const withinMs = 1500;

/**
 * Learns that a target answers on no second connection while one is open, as a server with one thread does: where it
 * keeps connections alive, all but the first request would wait for ever, and else as long as others are held. One more
 * connection is opened for it, on which nothing is sent.
 * @param transport one with an idle connection to the target, where that keeps them
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
  const idle = await openIdle(transport, baseUrl);
  const second = await transport.send({ ...request, newConnection: true });
  discovery.count(second);
  idle?.destroy();
  if (second.failure?.kind !== "timeout") return;
  const first = await transport.send(request);
  discovery.count(first);
  if (first.answer === undefined) return;
  discovery.learn({
    id: oneConnectionId,
    topic: "front",
    text: "while one connection is open, no other one is answered",
    adapted:
      "each request has a connection of its own, which is closed after the answer, and checks run one after the other",
    seen: [],
  });
}

/** A connection that says nothing; undefined where none can be opened. */
async function openIdle(
  { rules }: Pick<Transport, "rules">,
  baseUrl: string,
): Promise<Socket | undefined> {
  try {
    return await openSocket(rules, new URL(baseUrl), { timeoutMs: withinMs, speaksHttp2: true });
  } catch {
    return undefined;
  }
}

const unreadId = "unread-bodies";

/** What a server says to a request that begins with the rest of another one. */
const ofGarbledRequests: ReadonlySet<number> = new Set([400, 405, 414, 501, 505]);

/**
 * Learns that a request which is refused before its body was read leaves that on the connection, where it is taken for the
 * beginning of the next request (RFC 9112, 9.3). What is refused is a retry of no job, without a key, since a cancel blocks
 * some servers.
 * @param client one whose requests share the connection of the transport
 * @param first the answer to the same question on a connection where nothing had been refused
 */
export async function learnUnreadBodies(
  client: JobClient,
  discovery: Discovery,
  first: Exchange,
): Promise<void> {
  const { url } = first.request;
  if (first.answer?.status !== 200 || !url.endsWith("/health")) return;
  const refused = await client.options.transport.send({
    method: "POST",
    url: url.replace(/health$/, `retry/${unknownJob}`),
    headers: { "content-type": "application/json" },
    body: "{}",
    timeoutMs: withinMs,
    signal: undefined,
  });
  discovery.count(refused);
  if (refused.answer?.status !== 401 && refused.answer?.status !== 403) return;
  const next = await client.health();
  discovery.count(next);
  const { answer } = next;
  if (answer === undefined || !ofGarbledRequests.has(answer.status)) return;
  discovery.learn({
    id: unreadId,
    topic: "front",
    text: `the body of a refused request is taken for the beginning of the next one on its connection, which is answered ${answer.status}`,
    adapted: "each request has a connection of its own",
    breaks: ["ENDP-03"],
    expected: `an answer to health, as on another connection: ${describeAnswer(first.answer)}`,
    seen: [next],
  });
}

/** Whether each request needs a connection of its own. */
export function needsNewConnections(discovery: Discovery | undefined): boolean {
  return discovery?.knows(oneConnectionId) === true || discovery?.knows(unreadId) === true;
}
