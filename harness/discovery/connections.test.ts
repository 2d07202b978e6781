import { createServer } from "node:net";
import type { Socket } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../../client/request-rules.ts";
import { running } from "../../test/running-server.ts";
import { openTarget } from "../open-target.ts";
import { openTransport } from "../open-transport.ts";
import { learnConnections, needsNewConnections } from "./connections.ts";
import { Discovery } from "./discovery.ts";

/** A server that answers so many connections at once, and the others when one of those has closed. */
async function serverOf(connections: number, keepsAlive: boolean): Promise<string> {
  const open = new Set<Socket>();
  const waiting: Socket[] = [];
  const serve = (socket: Socket): void => {
    open.add(socket);
    socket.on("data", () => {
      socket.write("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
      if (!keepsAlive) socket.end();
    });
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
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  return baseUrl;
}

test.each([
  { connections: 1, keepsAlive: true, learned: ["one-connection"] },
  { connections: 1, keepsAlive: false, learned: ["one-connection"] },
  { connections: 3, keepsAlive: true, learned: [] },
  { connections: 3, keepsAlive: false, learned: [] },
])(
  "a server that answers on $connections at once shows $learned, kept alive: $keepsAlive",
  async (row) => {
    const baseUrl = await serverOf(row.connections, row.keepsAlive);
    const discovery = new Discovery();
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
  },
);

const health = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
  workers: { idle: 1, running: 0 },
};

function answered(status: number, body: object): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status} Told\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

/** A server that refuses a POST before it has read the body, and then reads that, or takes it for the next request. */
async function refusingServer(readsBodies: boolean): Promise<string> {
  const server = createServer((socket) => {
    let left = "";
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      const request = left + bytes.toString("latin1");
      left = "";
      if (request.startsWith("GET ")) {
        const isHealth = request.startsWith("GET /v2/e/health");
        socket.write(isHealth ? answered(200, health) : answered(404, {}));
      } else if (request.startsWith("POST ")) {
        const body = request.slice(request.indexOf("\r\n\r\n") + 4);
        if (!readsBodies) left = body;
        socket.write(answered(401, {}));
      } else {
        socket.end(answered(501, {}));
      }
    });
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  return baseUrl;
}

test.each([
  { readsBodies: true, learned: false },
  { readsBodies: false, learned: true },
])("a server that reads the bodies it refuses: $readsBodies", async ({ readsBodies, learned }) => {
  const baseUrl = await refusingServer(readsBodies);
  const { discovery } = await openTarget({
    baseUrl,
    endpointId: "e",
    apiKey: "key-of-e",
    capabilities: [],
  });
  const ids = discovery?.learned.map(({ id }) => id) ?? [];
  expect(ids.includes("unread-bodies")).toBe(learned);
  expect(needsNewConnections(discovery)).toBe(learned);
});
