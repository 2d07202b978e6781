import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../client/request-rules.ts";
import { Discovery } from "./discovery/discovery.ts";
import { openTransport } from "./open-transport.ts";
import { running } from "../test/running-server.ts";

const body = '{"status":"COMPLETED"}';
const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** A server that answers each request so often, in one piece. */
async function answering(times: number): Promise<string> {
  const server = createServer((socket) => {
    socket.on("data", () => socket.write(answer.repeat(times)));
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  return baseUrl;
}

async function learnedFrom(times: number): Promise<readonly string[]> {
  const baseUrl = await answering(times);
  const discovery = new Discovery();
  const transport = openTransport(rulesFor({ baseUrl }), discovery);
  onTestFinished(async () => transport.close());
  const request = {
    method: "GET",
    url: `${baseUrl}/status/1`,
    headers: {},
    body: undefined,
    timeoutMs: 5000,
    signal: undefined,
  } as const;
  for (let sent = 0; sent < 3; sent += 1) {
    const { answer: received } = await transport.send(request);
    expect(received).toMatchObject({ status: 200 });
  }
  return discovery.learned.map(({ id }) => id);
}

test("an answer that no request asked for ends its connection, and is told once", async () => {
  expect(await learnedFrom(2)).toEqual(["unsolicited-answers"]);
});

test("a connection that brings what was asked for tells nothing", async () => {
  expect(await learnedFrom(1)).toEqual([]);
});
