import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";

import * as fc from "fast-check";
import { request as send } from "undici";

import { startReference } from "../../../reference/start-reference.ts";
import type { Reference } from "../../../reference/start-reference.ts";
import { running, type RunningServer } from "../../../test/running-server.ts";

/** The key of a run; no output may show it, in any of the forms in which a target gives it back. */
export const KEY = "the-key-of-a-user-1234";

/** What a target does with one request. */
export interface Reaction {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** How much is written at once, in bytes; 0: everything. */
  readonly pieceBytes: number;
  /** What becomes of the connection: it is kept, dies in the head or in the body, or brings another answer. */
  readonly end: "keep" | "close" | "die-in-head" | "die-in-body" | "twice" | "silent";
}

/** The key as it is, and as a target may write it. */
const secrets = fc.constantFrom(
  KEY,
  encodeURIComponent(KEY),
  Buffer.from(KEY).toString("base64"),
  Buffer.from(KEY).toString("hex"),
  Array.from(Buffer.from(KEY), (byte) => `\\u00${byte.toString(16)}`).join(""),
  KEY.repeat(400),
  `${"x".repeat(4080)}${KEY}`,
  `${"y".repeat(150)}${KEY}`,
);

const markup = fc.constantFrom(
  "<script>alert(1)</script>",
  "::stop-commands::x",
  "##vso[task.setvariable variable=a]b",
  "\u001B[2J\u001B]0;title\u0007",
  "| `a` | [x](http://example.test) |",
  "]]></failure>",
  "\u202Eabc",
  "__proto__",
);

const text = fc.oneof(secrets, markup, fc.string({ maxLength: 40 }));
const quoted = text.map((each) => JSON.stringify(each).replaceAll(String.raw`\\u`, String.raw`\u`));

const states = fc.constantFrom("IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "TIMED_OUT");

/** Bodies: records that are nearly right, texts of any kind, and much of either. */
const bodies = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(quoted, states, quoted, quoted).map(recordOf) },
  { weight: 2, arbitrary: quoted.map((each) => `{"jobs":{${each}:1},"workers":${each}}`) },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom("", "[]", "null", "{", "\uFEFF{}", "<html>") },
  {
    weight: 1,
    arbitrary: fc
      .tuple(secrets, fc.integer({ min: 1, max: 60 }))
      .map(
        ([secret, times]) =>
          `{"id":"a","output":["${`${secret}${"z".repeat(9000)}`.repeat(times)}"]}`,
      ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 200_000 }).map((n) => `[${"1,".repeat(n)}1]`) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 50_000 }).map((n) => "[".repeat(n)) },
);

function recordOf([id, status, name, value]: [string, string, string, string]): string {
  return `{"id":${id},"status":"${status}","output":{${name}:${value}},"error":${value},"delayTime":1}`;
}

/** Text that a head can hold. */
const ofHead = text.map((each) => each.replaceAll(/[^\x20-\x7E]/g, "?").slice(0, 9000));
const headerName = fc.oneof(
  fc.constantFrom("x-request-id", "location", "retry-after", "server", KEY),
  fc.constantFrom("content-encoding", "connection", "x-cache"),
);

/** What a target may do with a request. */
export const reaction: fc.Arbitrary<Reaction> = fc.record({
  // Seldom a refusal to be asked so often, which slows the run down.
  status: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(200, 200, 201, 400, 401, 404, 422, 500) },
    { weight: 1, arbitrary: fc.constantFrom(204, 301, 429, 503) },
  ),
  reason: ofHead,
  headers: fc.array(fc.tuple(headerName, ofHead), { maxLength: 3 }),
  body: bodies,
  pieceBytes: fc.constantFrom(0, 0, 0, 1000, 17),
  // Seldom a death: a target that is gone shows nothing any more.
  end: fc.oneof(
    { weight: 20, arbitrary: fc.constant("keep" as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("close", "die-in-head", "die-in-body", "twice", "silent"),
    },
  ),
});

/** What a stranger sends to the address at which webhooks are awaited. */
export const knock: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "POST // HTTP/1.1\r\n\r\n",
    "GET /%ff%00 HTTP/1.1\r\nhost: a\r\n\r\n",
    "\r\n\r\n",
  ),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .tuple(text, fc.integer({ min: 0, max: 300_000 }))
    .map(
      ([each, n]) => `POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: ${n}\r\n\r\n${each.repeat(9)}`,
    ),
);

/** So many requests are answered well, so that a run begins. */
const passedMin = 40;

/**
 * A target on loopback that reacts to its requests with the given reactions, in turn and again from the first; where
 * there is none, a reference answers.
 */
export class HostileTarget {
  readonly #server: Server;
  readonly #reference: Reference;
  #reactions: readonly (Reaction | null)[] = [];
  #knocks: readonly string[] = [];
  #requests = 0;
  /** How many requests have come since it was told how to behave. */
  #sincePassing = 0;
  #running: RunningServer | undefined;

  private constructor(reference: Reference) {
    this.#reference = reference;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<HostileTarget> {
    const endpoints = [{ id: "e", apiKey: KEY, foreignKey: "another-key", workers: 3 }];
    const target = new HostileTarget(await startReference({ control: false, endpoints }));
    target.#running = await running(target.#server);
    return target;
  }

  get baseUrl(): string {
    return this.#running?.baseUrl ?? "";
  }

  /** How many requests have come. */
  get requests(): number {
    return this.#requests;
  }

  behave(reactions: readonly (Reaction | null)[], knocks: readonly string[]): void {
    this.#reactions = reactions;
    this.#knocks = knocks;
    this.#sincePassing = 0;
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    await this.#reference.stop();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await buffer(request);
      const webhook = /"webhook":"http:\/\/127\.0\.0\.1:(\d+)/.exec(body.toString("latin1"));
      this.#knock(webhook?.[1]);
      this.#sincePassing += 1;
      this.#requests += 1;
      const found =
        this.#sincePassing > passedMin
          ? this.#reactions[this.#requests % this.#reactions.length]
          : undefined;
      if (found === null || found === undefined) await this.#pass(request, body, response);
      else react(request.socket, found);
    } catch {
      request.socket.destroy();
    }
  }

  async #pass(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const { authorization, "content-type": type } = headers;
    const answer = await send(`${this.#reference.baseUrl}${url}`, {
      method: method === "POST" ? "POST" : "GET",
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(type !== undefined && { "content-type": type }),
      },
      ...(body.length > 0 && { body }),
    });
    response.writeHead(answer.statusCode, { "content-type": "application/json" });
    response.end(await answer.body.text());
  }

  /** Sends what strangers send to the receiver of webhooks. */
  #knock(port: string | undefined): void {
    const [first, ...rest] = this.#knocks;
    if (port === undefined || first === undefined) return;
    this.#knocks = rest;
    const socket = connect(Number(port), "127.0.0.1", () => socket.end(first));
    socket.on("error", () => socket.destroy());
  }
}

function react(socket: Socket, { status, reason, headers, body, pieceBytes, end }: Reaction): void {
  if (end === "silent") return;
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status} ${reason}\r\n${lines}content-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`;
  if (end === "die-in-head") return void socket.end(head.slice(0, 20));
  if (end === "die-in-body") return void socket.end(head + body.slice(0, body.length / 2));
  const whole = Buffer.concat([Buffer.from(head), bytes]);
  const step = pieceBytes === 0 ? whole.length : Math.max(pieceBytes, whole.length / 2000);
  for (let at = 0; at < whole.length; at += step) socket.write(whole.subarray(at, at + step));
  if (end === "twice") socket.write(whole);
  if (end === "close") socket.end();
}
