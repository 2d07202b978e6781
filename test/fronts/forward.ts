import { Agent, request as send } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

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

  /** Sends a request that a front has received; `path` in place of its own. Rejects where no answer comes. */
  async pass(
    incoming: Pick<IncomingMessage, "headers" | "method" | "url">,
    body: Buffer,
    { path = incoming.url, signal }: { path?: string | undefined; signal?: AbortSignal } = {},
  ): Promise<ForwardedAnswer> {
    const { hostname, port } = this.#target;
    const { method = "GET", headers: received } = incoming;
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
