import { once } from "node:events";
import { createServer } from "node:http";

import { expect, onTestFinished, test } from "vitest";

import { running } from "../../test/running-server.ts";
import { CallLatency } from "./call-latency.ts";

test("a call that failed is made again, so that a later one can tell how long calls take", async () => {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    if (calls === 1) request.socket.resetAndDestroy();
    else response.end();
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  const latency = new CallLatency(baseUrl);
  onTestFinished(() => {
    latency.stop();
  });

  await once(server, "request");
  await once(server, "request");
  expect(calls).toBe(2);
});
