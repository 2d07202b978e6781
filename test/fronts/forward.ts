import { Agent, request as send } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";

/** A request that a front has received, whole, as it may change it. */
export interface ForwardedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer of the server behind a front, whole. */
export interface ForwardedAnswer {
  readonly status: number;
  /** Without those that belong to one connection or to the length of the body. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Passes requests on to one server of this machine. */
export class Forwarder {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 512 });
  readonly #target: URL;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  /** Sends a request on. Rejects where no answer comes, and where the signal aborts. */
  async pass(
    { method, path, headers: received, body }: ForwardedRequest,
    signal?: AbortSignal,
  ): Promise<ForwardedAnswer> {
    const { hostname, port } = this.#target;
    const hasBody = method !== "GET" || body.length > 0;
    const headers = {
      ...ofWholeWay(received),
      ...(hasBody && { "content-length": String(body.length) }),
    };
    return new Promise((resolve, reject) => {
      const onward = send({ hostname, port, method, path, headers, agent: this.#agent, signal });
      onward.on("error", reject).end(body);
      onward.on("response", (answer) => {
        const { statusCode: status = 502, headers: answered } = answer;
        buffer(answer).then(
          (whole) => resolve({ status, headers: ofWholeWay(answered), body: whole }),
          reject,
        );
      });
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const ofOneConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
]);

function ofWholeWay(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofOneConnection.has(name)));
}
