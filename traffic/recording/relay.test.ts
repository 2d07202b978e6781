import { once } from "node:events";
import { createServer, request } from "node:http";
import type {
  ClientRequest,
  IncomingMessage,
  RequestListener,
  RequestOptions,
  ServerResponse,
} from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { running } from "../../test/running-server.ts";
import type { RecordedExchange } from "./recorded-exchange.ts";
import { startRelay } from "./relay.ts";
import type { Trouble } from "./relay.ts";

const cleanUps: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

interface Relayed {
  readonly baseUrl: string;
  readonly exchanges: readonly RecordedExchange[];
}

async function relayTo(listener: RequestListener, trouble?: Trouble): Promise<Relayed> {
  const server = await running(createServer(listener));
  const exchanges: RecordedExchange[] = [];
  const relay = await startRelay({
    baseUrl: server.baseUrl,
    troubleFor: () => trouble,
    onExchange: (exchange) => exchanges.push(exchange),
  });
  cleanUps.push(server.stop, relay.stop);
  return { baseUrl: relay.baseUrl, exchanges };
}

async function ask(
  url: string,
  options: RequestOptions = {},
  body = "",
): Promise<{ readonly answer: IncomingMessage; readonly text: string }> {
  const asked = request(url, options);
  asked.end(body);
  const answer = await answerTo(asked);
  let text = "";
  for await (const piece of answer) text += String(piece);
  return { answer, text };
}

function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.once("response", resolve).once("error", reject);
  });
}

describe("the relay", () => {
  test("changes neither bytes nor headers, and records both ways", async () => {
    const packed = gzipSync("packed");
    const { baseUrl, exchanges } = await relayTo((incoming, response) => {
      expect(incoming.rawHeaders).toContain("X-Own");
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.writeHead(202, "Fine", { "Content-Encoding": "gzip", "X-Seen": "yes" });
      incoming.resume().on("end", () => response.end(packed));
    });
    const headers = { "X-Own": "1", "content-type": "application/json" };
    const asked = request(`${baseUrl}/v2/e/run?wait=1`, { method: "POST", headers });
    asked.end('{"input":{}}');
    const answer = await answerTo(asked);
    const pieces: Buffer[] = [];
    for await (const piece of answer) if (Buffer.isBuffer(piece)) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(packed)).toBe(true);
    expect(answer.statusMessage).toBe("Fine");
    expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    await expect.poll(() => exchanges).toHaveLength(1);
    expect(exchanges[0]).toMatchObject({
      method: "POST",
      target: "/v2/e/run?wait=1",
      answer: { status: 202, headers: { "x-seen": "yes" } },
    });
    expect(exchanges[0]?.body.bytes.toString()).toBe('{"input":{}}');
  });

  test("passes chunks on as they come", async () => {
    const responses: ServerResponse[] = [];
    const { baseUrl } = await relayTo((_incoming, response) => {
      response.write("first");
      responses.push(response);
    });
    const asked = request(baseUrl);
    asked.end();
    const answer = await answerTo(asked);
    expect(String(await once(answer, "data"))).toBe("first");
    responses[0]?.end("second");
    expect(String(await once(answer, "data"))).toBe("second");
  });

  test("breaks off at the server what its client breaks off", async () => {
    let arrived = false;
    let closed = false;
    const { baseUrl, exchanges } = await relayTo((_incoming, response) => {
      arrived = true;
      response.on("close", () => (closed = true));
    });
    const asked = request(baseUrl).on("error", () => undefined);
    asked.end();
    await expect.poll(() => arrived).toBe(true);
    asked.destroy();
    await expect.poll(() => closed).toBe(true);
    await expect.poll(() => exchanges[0]?.brokenOff?.by).toBe("client");
    expect(exchanges[0]?.answer).toBeUndefined();
  });

  test("passes on what comes before an answer", async () => {
    const { baseUrl } = await relayTo((_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: "</page.css>; rel=preload", "x-early": "yes" });
      response.end("done");
    });
    const early: (readonly [number, string | undefined])[] = [];
    const asked = request(baseUrl);
    asked.on("information", ({ statusCode, headers }) => {
      early.push([statusCode, String(headers["x-early"] ?? "")]);
    });
    asked.end();
    const answer = await answerTo(asked);
    expect(answer.statusCode).toBe(200);
    answer.resume();
    expect(early).toEqual([
      [102, ""],
      [103, "yes"],
    ]);
  });

  test("passes trailers, continue and HTTP/1.0 on", async () => {
    const { baseUrl } = await relayTo((incoming, response) => {
      incoming.resume().on("end", () => {
        response.writeHead(200, { Trailer: "X-End" });
        response.write("body");
        response.addTrailers({ "X-End": "told" });
        response.end();
      });
    });
    const { answer } = await ask(baseUrl);
    expect(answer.trailers["x-end"]).toBe("told");
    const waiting = request(baseUrl, { method: "POST", headers: { expect: "100-continue" } });
    waiting.flushHeaders();
    await once(waiting, "continue");
    waiting.end("x");
    await once(waiting, "response");
    const old = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    old.write("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
    let text = "";
    for await (const piece of old) text += String(piece);
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*body/);
  });

  test.each([
    ["loses an answer", { loses: "answer" }, /socket hang up/],
    [
      "answers in place of the server",
      { answer: { status: 429, body: { a: 1 } } },
      /^429 \{"a":1\}/,
    ],
    ["rewrites an answer", { rewrite: (text: string) => text.toUpperCase() }, /^200 HELLO/],
  ] as const)("%s where it makes trouble", async (_what, trouble, expected) => {
    const { baseUrl } = await relayTo((_incoming, response) => response.end("hello"), trouble);
    const said = await ask(baseUrl).then(
      ({ answer, text }) => `${answer.statusCode} ${text}`,
      String,
    );
    expect(said).toMatch(expected);
  });

  test("lets an idle connection to the server go, and never one that waits", async () => {
    const open = new Set<number>();
    const { baseUrl } = await relayTo((incoming, response) => {
      const { remotePort = 0 } = incoming.socket;
      open.add(remotePort);
      incoming.socket.once("close", () => open.delete(remotePort));
      const heldMs = incoming.url === "/held" ? 1_500 : 0;
      setTimeout(() => response.end("done"), heldMs);
    });
    await ask(baseUrl);
    const { text } = await ask(`${baseUrl}/held`);
    expect(text).toBe("done");
    await expect.poll(() => open.size).toBe(0);
  });

  test("tells when the server cannot be reached, and closes the connection", async () => {
    const errors: Error[] = [];
    const gone = await running(createServer());
    await gone.stop();
    const relay = await startRelay({
      baseUrl: gone.baseUrl,
      onExchange: () => undefined,
      onServerError: (error) => errors.push(error),
    });
    cleanUps.push(relay.stop);
    await expect(ask(relay.baseUrl)).rejects.toThrow("socket hang up");
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("ECONNREFUSED")]);
  });
});

test.each([
  ["a status that HTTP does not have", "HTTP/1.1 042 odd\r\ncontent-length: 2\r\n\r\nhi"],
  ["no HTTP", "garbage\r\n\r\n"],
  ["half of what it tells", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"],
])("the relay goes on after an answer with %s", async (_what, answer) => {
  const server = await running(
    createTcpServer((socket) => {
      socket.on("data", () => socket.end(answer));
    }),
  );
  const exchanges: RecordedExchange[] = [];
  const relay = await startRelay({
    baseUrl: server.baseUrl,
    onExchange: (exchange) => exchanges.push(exchange),
  });
  cleanUps.push(server.stop, relay.stop);
  await expect(ask(relay.baseUrl)).rejects.toThrow(Error);
  await expect(ask(relay.baseUrl)).rejects.toThrow(Error);
  await expect
    .poll(() => exchanges.map(({ brokenOff }) => brokenOff?.by))
    .toEqual(["server", "server"]);
});
