import { once } from "node:events";
import { createServer } from "node:net";
import type { Socket } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { rulesFor } from "../../client/request-rules.ts";
import { openTransport } from "../open-transport.ts";
import { learnConnections } from "./connections.ts";
import { Discovery } from "./discovery.ts";

/** A server that answers so many connections at once, and the others when one of those has closed. */
async function serverOf(connections: number): Promise<string> {
  const open = new Set<Socket>();
  const waiting: Socket[] = [];
  const serve = (socket: Socket): void => {
    open.add(socket);
    socket.on("data", () => socket.write("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"));
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("close", () => {
      open.delete(socket);
      const next = waiting.shift();
      if (next !== undefined) serve(next);
    });
    if (open.size < connections) serve(socket);
    else waiting.push(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of [...open, ...waiting]) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

test.each([
  { connections: 1, learned: ["one-connection"] },
  { connections: 2, learned: [] },
])("a server that answers on $connections at once shows $learned", async (row) => {
  const baseUrl = await serverOf(row.connections);
  const discovery = new Discovery(new Redactor());
  const transport = openTransport(rulesFor({ baseUrl }), discovery, 1);
  const request = {
    method: "GET",
    url: `${baseUrl}/`,
    headers: {},
    body: undefined,
    timeoutMs: 10_000,
    signal: undefined,
  } as const;
  await transport.send(request);
  await learnConnections(discovery, transport, baseUrl);
  await transport.close();
  expect(discovery.learned.map(({ id }) => id)).toEqual(row.learned);

  const after = openTransport(rulesFor({ baseUrl }), discovery);
  onTestFinished(async () => after.close());
  expect(after.keepsAlive).toBe(row.learned.length === 0);
  const answers = await Promise.all([1, 2].map(async () => after.send(request)));
  expect(answers.map(({ answer }) => answer?.status)).toEqual([404, 404]);
});
