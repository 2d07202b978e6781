import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";

import { monotonicNowMs } from "../../client/index.ts";

/** How the receiver treats one attempt: a status, a connection torn down, or no answer at all. */
export type HookReply = number | "reset" | "silence";

/** One call of the webhook, as it came in. Times are milliseconds since the epoch. */
export interface HookAttempt {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly atMs: number;
}

/** One address to be called: it answers attempt n with the n-th reply, and the last reply from then on. */
export class Hook {
  readonly url: string;
  readonly attempts: HookAttempt[] = [];
  readonly #replies: readonly HookReply[];

  constructor(url: string, replies: readonly HookReply[]) {
    this.url = url;
    this.#replies = replies;
  }

  /** Records an attempt and says how to treat it. */
  receive(attempt: HookAttempt): HookReply {
    const reply = this.#replies[Math.min(this.attempts.length, this.#replies.length - 1)];
    this.attempts.push(attempt);
    return reply ?? 200;
  }
}

/** The largest body a webhook may bring: a record with 20 MB of output. */
const bodyBytesMax = 32 * 1_048_576;

/** An HTTP server that is called by the target's webhooks and counts every attempt. */
export class WebhookReceiver {
  readonly #server: Server;
  readonly #publicUrl: string;
  readonly #hooks = new Map<string, Hook>();

  private constructor(server: Server, publicUrl: string) {
    this.#server = server;
    this.#publicUrl = publicUrl;
  }

  /** @param publicUrl where the target reaches the receiver; absent: its own address on loopback */
  static async start(publicUrl?: string, port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    server.listen(port, publicUrl === undefined ? "127.0.0.1" : "0.0.0.0");
    await once(server, "listening");
    const address = server.address();
    if (!isInternet(address)) throw new Error("the webhook receiver has no port");
    const own = `http://127.0.0.1:${String(address.port)}`;
    const receiver = new WebhookReceiver(server, (publicUrl ?? own).replace(/\/+$/, ""));
    server.on("request", (request, response) => {
      void receiver.#take(request, response);
    });
    return receiver;
  }

  /** A fresh address. Without replies every attempt is answered with 200. */
  hook(...replies: readonly HookReply[]): Hook {
    const path = `/${randomUUID()}`;
    const hook = new Hook(this.#publicUrl + path, replies);
    this.#hooks.set(path, hook);
    return hook;
  }

  /** Closes the server and every connection it still holds. */
  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const hook = this.#hooks.get(new URL(request.url ?? "/", "http://receiver").pathname);
    const { method = "", headers } = request;
    const reply = hook?.receive({ method, headers, text, atMs: monotonicNowMs() }) ?? 404;
    if (reply === "silence") return;
    if (reply === "reset") request.socket.resetAndDestroy();
    else if (reply >= 300 && reply < 400)
      response.writeHead(reply, { location: "/elsewhere" }).end();
    else response.writeHead(reply).end();
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > bodyBytesMax) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isInternet(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
