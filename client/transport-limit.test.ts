import { createServer } from "node:http";
import { setImmediate as turn } from "node:timers/promises";

import { expect, onTestFinished, test } from "vitest";

import { running } from "../test/running-server.ts";
import { rulesFor } from "./request-rules.ts";
import { Transport } from "./transport.ts";
import type { TransportRequest } from "./transport.ts";

function openedTo(baseUrl: string): Transport {
  const transport = new Transport(rulesFor({ baseUrl }));
  onTestFinished(() => transport.close());
  return transport;
}

function requestTo(baseUrl: string): TransportRequest {
  return {
    method: "GET",
    url: `${baseUrl}/`,
    headers: {},
    body: undefined,
    timeoutMs: 60_000,
    signal: undefined,
  };
}

test.each([
  { inFlightMax: 2, most: 2 },
  { inFlightMax: Infinity, most: 5 },
])("of five requests at most $most are under way where $inFlightMax may be", async (row) => {
  const held: (() => void)[] = [];
  let most = 0;
  const server = createServer((_request, response) => {
    held.push(() => response.end());
    most = Math.max(most, held.length);
  });
  const { baseUrl, stop } = await running(server);
  const transport = openedTo(baseUrl);
  onTestFinished(stop);
  transport.inFlightMax = row.inFlightMax;
  const request = requestTo(baseUrl);
  const sent = Array.from({ length: 5 }, async () => transport.send(request));
  let ended = 0;
  const all = Promise.all(sent.map(async (each) => each.then(() => (ended += 1))));
  // Answers begin once as many as may be are there, so that more would have come, too.
  while (ended < sent.length) {
    if (held.length >= Math.min(row.most, sent.length - ended)) held.shift()?.();
    await turn();
  }
  await all;
  expect(most).toBe(row.most);
});

test("the second of two requests at once finds no idle connection, and one that comes after them does", async () => {
  const server = createServer((_request, response) => response.end());
  const { baseUrl, stop } = await running(server);
  const transport = openedTo(baseUrl);
  onTestFinished(stop);
  const request = requestTo(baseUrl);

  await transport.send(request);
  const both = await Promise.all([transport.send(request), transport.send(request)]);
  const last = await transport.send(request);

  const found = [...both, last].map(({ findsNoConnection }) => findsNoConnection);
  expect(found).toEqual([false, true, false]);
});
