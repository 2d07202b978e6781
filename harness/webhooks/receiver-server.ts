import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";

import { IncomingBytes } from "../../client/incoming-bytes.ts";
import { withoutTrailingSlash } from "../../client/endpoint-address.ts";
import { Inconclusive } from "../outcome.ts";

/** Where a receiver of webhooks listens, and under which address a target reaches it. */
export interface ReceiverAddress {
  /** Absent: the receiver's own address on loopback. */
  readonly publicUrl?: string | undefined;
  /** Absent: the port that the public URL names; without one any free port. */
  readonly port?: number | undefined;
}

/** The largest body a webhook may bring: a record with 20 MB of output. */
const bodyBytesMax = 32 * 1_048_576;

/** One port that webhooks are sent to: on loopback alone, or on every interface where a public URL leads to it. */
export class ReceiverServer {
  /** Its address on this machine. */
  readonly localUrl: string;
  /** Its address as a target knows it, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, port: number, publicUrl: string | undefined) {
    this.#server = server;
    this.port = port;
    this.localUrl = `http://127.0.0.1:${port}`;
    this.url = publicUrl === undefined ? this.localUrl : withoutTrailingSlash(publicUrl);
  }

  /** @throws Inconclusive where the port is taken */
  static async start(
    { publicUrl, port = portOf(publicUrl) }: ReceiverAddress,
    onRequest: RequestListener,
  ): Promise<ReceiverServer> {
    const server = createServer(onRequest);
    const host = publicUrl === undefined ? "127.0.0.1" : "0.0.0.0";
    try {
      server.listen(port, host);
      await once(server, "listening");
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Inconclusive(`the webhook receiver could not be started: ${why}`);
    }
    const address = server.address();
    const bound = typeof address === "object" && address !== null ? address.port : port;
    return new ReceiverServer(server, bound, publicUrl);
  }

  /** Stops listening and closes every connection. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** The body of a call as text; `undefined` where it breaks off, or is larger than any record or than there is room for. */
export async function readText(request: IncomingMessage): Promise<string | undefined> {
  const incoming = new IncomingBytes(bodyBytesMax);
  try {
    for await (const chunk of request) {
      if (Buffer.isBuffer(chunk) && incoming.add(chunk) !== undefined) return undefined;
    }
    return incoming.take().toString("utf8");
  } catch {
    return undefined;
  } finally {
    incoming.take();
  }
}

function portOf(publicUrl: string | undefined): number {
  return publicUrl === undefined ? 0 : Number(new URL(publicUrl).port);
}
