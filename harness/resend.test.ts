import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

import { describe, expect, onTestFinished, test } from "vitest";

import { Transport } from "../client/transport.ts";
import { monotonicNowMs } from "../client/exchange.ts";
import { rulesFor } from "../client/request-rules.ts";
import type { TransportResult } from "../client/exchange.ts";
import type { Outage, TargetGone } from "../reports/model.ts";
import { running } from "../test/running-server.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { sendUntilAnswered } from "./resend.ts";
import { TargetWatch } from "./target-watch.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

interface Sent {
  readonly result: TransportResult;
  readonly paths: readonly string[];
  readonly outages: readonly Outage[];
  readonly gone: readonly TargetGone[];
}

/** Sends one request to `/asked`; what answers the probe stands under any other path. */
async function send(
  handle: Handler,
  { timeoutMs = 500, hasOwnTimeout = false } = {},
): Promise<Sent> {
  const paths: string[] = [];
  const server = await running(
    createServer((request, response) => {
      const path = request.url ?? "";
      paths.push(path);
      request.resume();
      handle(request, response, paths.filter((each) => each === path).length);
    }),
  );
  const transport = new Transport(rulesFor(server));
  const outages: Outage[] = [];
  const gone: TargetGone[] = [];
  const request = {
    method: "POST",
    headers: {},
    body: "{}",
    timeoutMs,
    signal: undefined,
  } as const;
  const watch = new TargetWatch({
    timeoutMs,
    startedAtMs: monotonicNowMs(),
    probe: async () => transport.send({ ...request, url: `${server.baseUrl}/probe` }),
    onGone: (each) => gone.push(each),
    onBack: (each) => outages.push(each),
  });
  onTestFinished(async () => {
    watch.close();
    await transport.close();
    await server.stop();
  });
  const result = await sendUntilAnswered(
    { transport, watch, breaker: new CircuitBreaker(), check: "a check" },
    { ...request, url: `${server.baseUrl}/asked` },
    { operation: "run", endpointId: "e", jobId: undefined, hasOwnTimeout },
  );
  return { result, paths: paths.filter((path) => path === "/asked"), outages, gone };
}

const isProbe = ({ url }: IncomingMessage): boolean => url === "/probe";

describe("a request that gets no answer", () => {
  test("is sent three times, and is unanswered where the target answers something else", async () => {
    const { result, paths, gone } = await send((request, response) => {
      if (isProbe(request)) response.end();
      else request.socket.destroy();
    });
    expect(paths).toHaveLength(3);
    expect(result.failure?.kind).toBe("unanswered");
    expect(result.failure?.message).toMatch(/^the connection was (closed|reset), 3 of 3 times$/);
    expect(gone).toEqual([]);
  });

  test("is judged by the answer to a later try, and says how the earlier ones ended", async () => {
    const { result, paths } = await send((request, response, count) => {
      if (isProbe(request) || count > 1) response.end("{}");
      else request.socket.destroy();
    });
    expect(paths).toHaveLength(2);
    expect(result.answer?.status).toBe(200);
    expect(result.unanswered).toHaveLength(1);
  });

  test("is sent again where half of its answer came", async () => {
    const { result, paths } = await send((request, response, count) => {
      if (isProbe(request) || count > 2) response.end("{}");
      else {
        response.writeHead(200, { "content-length": "10" });
        response.write("{", () => request.socket.destroy());
      }
    });
    expect(paths).toHaveLength(3);
    expect(result.answer?.rawText()).toBe("{}");
  });

  test("is not sent again where the call itself bounded its time", async () => {
    const { result, paths } = await send(
      (request, response) => {
        if (isProbe(request)) response.end();
      },
      { timeoutMs: 50, hasOwnTimeout: true },
    );
    expect(paths).toHaveLength(1);
    expect(result.failure?.kind).toBe("timeout");
  });

  test("ends the run where nothing else is answered either", async () => {
    const { result, paths, gone } = await send((request) => request.socket.destroy());
    expect(paths).toHaveLength(1);
    expect(result.failure?.kind).toBe("connection");
    expect(gone.map(({ request }) => request)).toEqual(["POST /asked"]);
    expect(gone[0]?.reason).toMatch(/stopped answering after POST/);
  });

  test("tells of an outage where the target comes back", async () => {
    const { result, outages, gone } = await send(
      (request, response, count) => {
        if (count > (isProbe(request) ? 4 : 1)) response.end();
        else request.socket.destroy();
      },
      { timeoutMs: 5000 },
    );
    expect(result.answer?.status).toBe(200);
    expect(outages).toMatchObject([{ request: "POST /asked", check: "a check" }]);
    expect(gone).toEqual([]);
  });
});

test("a request that cannot be sent is an error of this side, and no silence of the target's", async () => {
  const rules = rulesFor({ baseUrl: "http://127.0.0.1:9" });
  const transport = new Transport(rules);
  const watch = new TargetWatch({
    timeoutMs: 500,
    startedAtMs: monotonicNowMs(),
    probe: async () => Promise.reject(new Error("nothing is to be probed")),
    onGone: () => undefined,
    onBack: () => undefined,
  });
  onTestFinished(async () => {
    watch.close();
    await transport.close();
  });
  const request = {
    method: "GET",
    url: "http://127.0.0.1:9/asked",
    headers: { authorization: "a key\n" },
    body: undefined,
    timeoutMs: 500,
    signal: undefined,
  } as const;
  await expect(
    sendUntilAnswered(
      { transport, watch, breaker: new CircuitBreaker(), check: "a check" },
      request,
      {
        operation: "health",
        endpointId: "e",
        jobId: undefined,
        hasOwnTimeout: false,
      },
    ),
  ).rejects.toThrow("GET /asked could not be sent: invalid authorization header");
});
