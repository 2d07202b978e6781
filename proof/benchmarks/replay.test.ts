import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { running } from "../../test/running-server.ts";
import type { RecordedExchange } from "../../traffic/recording/recorded-exchange.ts";
import { replayed, scriptOf } from "./replay.ts";

function recorded(number: number, target: string, [arrivedMs, endedMs]: readonly [number, number]) {
  const body = { bytes: Buffer.from('{"id":"job-of-then"}'), kind: "whole" } as const;
  const exchange: RecordedExchange = {
    number,
    connection: 1,
    method: "POST",
    origin: "http://127.0.0.1:1",
    target,
    headers: { authorization: "key" },
    body: { bytes: Buffer.alloc(0), kind: "whole" },
    arrivedMs,
    answer: { status: 200, headers: {}, body, beganMs: endedMs, endedMs },
  };
  return exchange;
}

test("a run is sent again in its order, with the ids that the server makes up this time", async () => {
  const asked: string[] = [];
  const server = await running(
    createServer((request, response) => {
      request.resume();
      if (request.method === "POST") asked.push(`${request.url} ${request.headers.authorization}`);
      response.end('{"id":"job-of-now"}');
    }),
  );
  onTestFinished(server.stop);
  const run = [
    recorded(2, "/v2/e/cancel/job-of-then", [20, 30]),
    recorded(1, "/v2/e/run", [0, 10]),
    recorded(3, "/v2/e/cancel/job-of-another", [40, 50]),
  ];
  const { sent, otherStatuses, early } = await replayed(scriptOf(run), server.baseUrl, 60_000);
  expect({ sent, otherStatuses, early }).toEqual({ sent: 3, otherStatuses: 0, early: 0 });
  expect(asked).toEqual([
    "/v2/e/run key",
    "/v2/e/cancel/job-of-now key",
    "/v2/e/cancel/job-of-another key",
  ]);
});
