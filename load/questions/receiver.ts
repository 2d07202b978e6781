import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

import { withoutTrailingSlash } from "../../client/index.ts";
import type { Series } from "../k6/points.ts";

export interface ReceiverOptions {
  /** A public URL that leads here; absent: this machine's own. */
  readonly url?: string | undefined;
  /** Default: that of `url`, else any free one. */
  readonly port?: number | undefined;
  /** Which of several runners it belongs to: each gets the calls of its own jobs. */
  readonly runner?: number | undefined;
}

/** Counts the calls of webhooks whose path ends in a number of their own and the moment of their order. */
export class QuestionReceiver {
  readonly url: string;
  readonly #server: Server;
  readonly #calls = new Map<string, number>();
  readonly #delaysMs: number[] = [];
  readonly #path: string;
  #wrong = 0;
  #strays = 0;

  private constructor(server: Server, url: string, path: string) {
    this.#server = server;
    this.url = `${url}${path}`;
    this.#path = path;
    server.on("request", (request, response) => void this.#take(request, response));
  }

  /** @throws Error of Node where the port is taken. */
  static async start({ url, port, runner }: ReceiverOptions = {}): Promise<QuestionReceiver> {
    const server = createServer();
    const wanted = port ?? portOf(url) ?? 0;
    const host = url === undefined ? "127.0.0.1" : "0.0.0.0";
    await new Promise<void>((done, fail) => {
      server.once("error", fail);
      server.listen(wanted, host, done);
    });
    const address = server.address();
    const bound = typeof address === "object" ? (address?.port ?? 0) : 0;
    const base = withoutTrailingSlash(url ?? `http://127.0.0.1:${bound}`);
    return new QuestionReceiver(server, base, runner === undefined ? "" : `/runner-${runner}`);
  }

  /** Waits until so many different webhooks were called, or the time is over. */
  async awaitCalls(count: number, longestMs: number): Promise<void> {
    const endMs = performance.now() + longestMs;
    while (this.#calls.size < count && performance.now() < endMs) await pause(20);
  }

  /** What it saw, of so many webhooks that had to be called. */
  series(expected: number): ReadonlyMap<string, Series> {
    const calls = [...this.#calls.values()].reduce((sum, count) => sum + count, 0);
    return new Map<string, Series>([
      ["webhooks.calls", counter(calls)],
      ["webhooks.lost", counter(Math.max(0, expected - this.#calls.size))],
      ["webhooks.again", counter(calls - this.#calls.size)],
      ["webhooks.wrong", counter(this.#wrong)],
      ["webhooks.strays", counter(this.#strays)],
      ["webhooks.delay", { type: "trend", values: this.#delaysMs }],
    ]);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  /** A call for another runner. A public address may have a path of its own before ours. */
  #isStray(path: string): boolean {
    return /\/runner-\d+\//.test(path) && !path.includes(`${this.#path}/`);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedMs = Date.now();
    const path = request.url ?? "";
    if (this.#isStray(path)) {
      this.#strays += 1;
      request.resume();
      response.end();
      return;
    }
    const isFirst = !this.#calls.has(path);
    this.#calls.set(path, (this.#calls.get(path) ?? 0) + 1);
    const orderedMs = Number(path.split("/").at(-1));
    if (isFirst && Number.isFinite(orderedMs)) this.#delaysMs.push(arrivedMs - orderedMs);
    const isRecord = isCompletedRecord(await bodyOf(request));
    if (!isRecord || request.method !== "POST") this.#wrong += 1;
    response.end();
  }
}

function counter(count: number): Series {
  return { type: "counter", values: [count] };
}

const bodyCharsMax = 1_000_000;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  try {
    for await (const part of request.setEncoding("utf8")) {
      if (text.length < bodyCharsMax) text += String(part);
    }
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCompletedRecord(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  return (
    "id" in body && typeof body.id === "string" && "status" in body && body.status === "COMPLETED"
  );
}

function portOf(url: string | undefined): number | undefined {
  if (url === undefined) return undefined;
  const { port, protocol } = new URL(url);
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}
