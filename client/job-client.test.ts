import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { Server as TcpServer } from "node:net";
import { buffer } from "node:stream/consumers";

import { afterEach, describe, expect, onTestFinished, test } from "vitest";

import { bodyOf } from "./parsed-body.ts";
import type { Exchange } from "./exchange.ts";
import { JobClient } from "./job-client.ts";
import { Redactor } from "./redactor.ts";
import { rulesFor } from "./request-rules.ts";
import { Transport } from "./transport.ts";
import { standStillFor } from "../test/stand-still.ts";

const key = "the-secret-key";
const servers: (Server | TcpServer)[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe("the job client", () => {
  test.each([
    { call: "run", line: "POST /v2/ep/run" },
    { call: "runsync", line: "POST /v2/ep/runsync?wait=1000" },
    { call: "status", line: "GET /v2/ep/status/a%2Fb?ttl=6000" },
    { call: "stream", line: "GET /v2/ep/stream/a%2Fb" },
    { call: "cancel", line: "POST /v2/ep/cancel/a%2Fb" },
    { call: "retry", line: "POST /v2/ep/retry/a%2Fb" },
    { call: "purge-queue", line: "POST /v2/ep/purge-queue" },
    { call: "health", line: "GET /v2/ep/health" },
    { call: "openai", line: "POST /v2/ep/openai/v1/chat/completions" },
    { call: "requests", line: "GET /v2/ep/requests" },
  ])("sends $call as $line", async ({ call, line }) => {
    const seen: string[] = [];
    const client = await clientOf(({ method, url }, response) => {
      seen.push(`${method ?? ""} ${url ?? ""}`);
      response.end("{}");
    });

    const calls: Record<string, () => Promise<Exchange>> = {
      run: async () => client.run({ input: {} }),
      runsync: async () => client.runsync({ input: {} }, { wait: 1000 }),
      status: async () => client.status("a/b", { ttl: 6000 }),
      stream: async () => client.stream("a/b"),
      cancel: async () => client.cancel("a/b"),
      retry: async () => client.retry("a/b"),
      "purge-queue": async () => client.purgeQueue(),
      health: async () => client.health(),
      openai: async () => client.openai({ messages: [] }),
      requests: async () => client.requests(),
    };
    await calls[call]?.();

    expect(seen).toEqual([line]);
  });

  test("shows the ids of its trace, name and version as they were sent, and no header of the user's", async () => {
    const seen: IncomingMessage["headers"][] = [];
    const { options } = await clientOf(({ headers }, response) => {
      seen.push(headers);
      response.end(`you sent ${String(headers["x-gateway"])}`);
    });
    const { baseUrl } = options;
    const requests = { headers: { "x-gateway": "secret-of-a-gateway" } };
    const transport = new Transport(rulesFor({ baseUrl, requests }));
    const client = new JobClient({ ...options, transport });
    const { request, answer } = await client.health();

    const [sent = {}] = seen;
    expect(sent["x-gateway"]).toBe("secret-of-a-gateway");
    expect(request.headers).toMatchObject({
      "user-agent": sent["user-agent"],
      traceparent: sent["traceparent"],
      "x-gateway": "***",
    });
    expect(options.redactor.redact(answer?.rawText() ?? "")).toBe("you sent ***");
  });

  test.each([
    { scheme: "raw" as const, header: key },
    { scheme: "bearer" as const, header: `Bearer ${key}` },
  ])("sends the key $scheme and never shows it", async ({ scheme, header }) => {
    let sent: string | undefined;
    const client = await clientOf(({ headers }, response) => {
      sent = headers.authorization;
      response.end(`{"echo":"${key}"}`);
    });

    const exchange = await client.with({ scheme }).health();

    expect(sent).toBe(header);
    expect(JSON.stringify(exchange)).not.toContain(key);
  });

  test("sends no authorization header without a key", async () => {
    let sent: string | undefined = "something";
    const client = await clientOf(({ headers }, response) => {
      sent = headers.authorization;
      response.end();
    });

    await client.with({ apiKey: undefined }).health();

    expect(sent).toBeUndefined();
  });

  test("sends a large body in parts, whole, with its length, and knows when the last one went", async () => {
    const body = Buffer.alloc(3_000_001, "x");
    let got: { readonly length: unknown; readonly bytes: number } | undefined;
    const { options } = await clientOf((request, response) => {
      void buffer(request)
        .then(({ length: bytes }) => (got = { length: request.headers["content-length"], bytes }))
        .finally(() => response.end("{}"));
    });
    const client = new JobClient(options);
    const { answer, sentAtMs, answeredAtMs } = await client.run(body);

    expect(answer?.status).toBe(200);
    expect(got).toEqual({ length: String(body.length), bytes: body.length });
    expect(options.transport.lastByteAtMs).toBeGreaterThanOrEqual(sentAtMs);
    expect(options.transport.lastByteAtMs).toBeLessThanOrEqual(answeredAtMs);
  });

  test("reads an answer that came while this process was stopped, whatever the time-out", async () => {
    const client = await clientOf((_, response) => {
      response.end("{}");
      standStillFor(1500);
    });

    expect(await client.with({ timeoutMs: 300 }).health()).toMatchObject({
      answer: { status: 200 },
    });
  });

  test("does not show the values of an s3Config", async () => {
    const client = await clientOf((request, response) => {
      request.resume().on("end", () => response.end("{}"));
    });

    const s3Config = { accessId: "AKIA-1234", accessSecret: "very-secret" };
    const exchange = await client.run({ input: { a: 1 }, s3Config });

    expect(exchange.request.body).toContain('"accessSecret":"***"');
    expect(JSON.stringify(exchange)).not.toMatch(/AKIA-1234|very-secret/);
  });

  test("neither throws on a status nor follows a redirect", async () => {
    let requests = 0;
    const client = await clientOf((_request, response) => {
      requests += 1;
      response.writeHead(302, { location: "/elsewhere" }).end();
    });

    const exchange = await client.health();

    expect(exchange.answer?.status).toBe(302);
    expect(requests).toBe(1);
  });

  test("tells a body that is not JSON from an empty one", async () => {
    const client = await clientOf(({ url }, response) => {
      response.end(url?.includes("health") === true ? "<html>" : "");
    });

    const html = (await client.health()).answer;
    const empty = (await client.requests()).answer;

    const why = "a body that is not JSON: it is an HTML page";
    expect(html && bodyOf(html)).toEqual({ ok: false, why });
    expect(empty && bodyOf(empty)).toEqual({ ok: false, why: "an empty body" });
  });

  test.each([
    { id: "..", segment: "%2E%2E" },
    { id: ".", segment: "%2E" },
    { id: "%00", segment: "%2500" },
    { id: "a\nb", segment: "a%0Ab" },
    { id: "a\"b'c", segment: "a%22b'c" },
    { id: "😀", segment: "%F0%9F%98%80" },
    { id: "half \uD83D", segment: "half%20%EF%BF%BD" },
  ])("sends the id $segment as one segment of the path", async ({ id, segment }) => {
    const seen: string[] = [];
    const client = await clientOf(({ url }, response) => {
      seen.push(url ?? "");
      response.end("{}");
    });

    const { request } = await client.cancel(id);

    expect(seen).toEqual([`/v2/ep/cancel/${segment}`]);
    expect(request.jobId).toBe(id);
  });

  test.each([
    {
      what: "deep JSON",
      body: `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      why: "JSON nested more than 1000 levels deep",
    },
    {
      what: "bytes that are no UTF-8",
      body: Buffer.from([0x22, 0xff, 0x22]),
      why: "a body that is not UTF-8",
    },
  ])("tells $what from JSON that can be read", async ({ body, why }) => {
    const client = await clientOf((_, response) => response.end(body));

    const { answer } = await client.health();

    expect(answer && bodyOf(answer)).toEqual({ ok: false, why });
  });

  test("does not send what is not let go, and says why", async () => {
    const seen: string[] = [];
    const client = await clientOf(({ url }, response) => {
      seen.push(url ?? "");
      response.end("{}");
    });
    const heldBack = client.with({ admit: async () => Promise.reject(new Error("not now")) });

    const { failure } = await heldBack.health();

    expect(failure).toEqual({ kind: "aborted", message: "not now" });
    expect(seen).toEqual([]);
  });

  test("ends after its time-out when nothing comes", async () => {
    const client = await clientOf(() => {
      // The request is left without an answer.
    });

    const exchange = await client.health({ timeoutMs: 50 });

    expect(exchange.failure).toEqual({ kind: "timeout", message: "no whole answer within 50 ms" });
  });

  test.each([
    { query: {}, waitMs: 90_000 },
    { query: { wait: 1000 }, waitMs: 1000 },
    { query: { wait: -1 }, waitMs: 0 },
    { query: { wait: 400_000 }, waitMs: 300_000 },
    { query: { wait: "soon" }, waitMs: 0 },
  ])("gives runsync $waitMs ms on top of its time-out for $query", async ({ query, waitMs }) => {
    const timeouts: number[] = [];
    const failure = { kind: "aborted", message: "not sent" } as const;
    const client = new JobClient({
      ...clientAt(1).options,
      timeoutMs: 30_000,
      send: async ({ timeoutMs }) => {
        timeouts.push(timeoutMs);
        return Promise.resolve({ sentAtMs: 0, answeredAtMs: 0, answer: undefined, failure });
      },
    });

    await client.runsync({ input: {} }, query);

    expect(timeouts).toEqual([30_000 + waitMs]);
  });

  test("ends when it is broken off", async () => {
    const controller = new AbortController();
    const client = await clientOf(() => {
      controller.abort();
    });

    const exchange = await client.health({ signal: controller.signal });

    expect(exchange.failure?.kind).toBe("aborted");
  });

  test.each([
    { what: "garbage", bytes: "garbage\r\n\r\n", kind: "protocol" },
    {
      what: "half an answer",
      bytes: "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}",
      kind: "connection",
    },
  ])("reports $what as a failure", async ({ bytes, kind }) => {
    const port = await tcp(bytes);

    const exchange = await clientAt(port).health({ timeoutMs: 2000 });

    expect(exchange.answer).toBeUndefined();
    expect(exchange.failure?.kind).toBe(kind);
  });

  test("reports a closed port as a connection that was refused", async () => {
    const port = await tcp("");
    for (const server of servers.splice(0)) await closed(server);

    const exchange = await clientAt(port).health();

    expect(exchange.failure?.kind).toBe("refused");
    expect(exchange.failure?.message).toContain("ECONNREFUSED");
  });

  test("hands every exchange to its listener", async () => {
    const seen: string[] = [];
    const client = await clientOf((_request, response) => response.end("{}"));
    const listening = client.with({ onExchange: ({ operation }) => seen.push(operation) });

    await listening.health();
    await listening.requests();

    expect(seen).toEqual(["health", "requests"]);
  });
});

async function clientOf(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<JobClient> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
  });
  return clientAt(await listen(server));
}

function clientAt(port: number): JobClient {
  const baseUrl = `http://127.0.0.1:${port}`;
  return new JobClient({
    transport: new Transport(rulesFor({ baseUrl })),
    redactor: new Redactor(),
    baseUrl,
    endpointId: "ep",
    apiKey: key,
  });
}

/** A server that sends these bytes to whoever connects, and ends. */
async function tcp(bytes: string): Promise<number> {
  return listen(
    createTcpServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.end(bytes);
    }),
  );
}

async function listen(server: Server | TcpServer): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return address.port;
}

async function closed(server: Server | TcpServer): Promise<void> {
  server.close();
  await once(server, "close");
}
