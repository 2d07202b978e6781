import { Agent, createServer, request as forward } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Behaviour } from "../../reference/behaviour.ts";
import type { Reference } from "../../reference/start-reference.ts";

/** What becomes of a request: an answer, a closed connection instead, half of an answer, or nothing at all. */
export type Treatment = "answer" | "drop" | "cut" | "silence";

/** A request of the API, as far as a treatment depends on it. */
export interface SeenRequest {
  /** The operation's word in the path: `run`, `status`, `health`. */
  readonly operation: string;
  readonly path: string;
  readonly body: string;
  /** How many requests of the API there were so far, this one included. */
  readonly count: number;
}

export type Treat = (request: SeenRequest) => Treatment;

/** The reference behind a proxy that treats each request as `treat` says, and can be killed and started again. */
export class UnreliableTarget {
  readonly #treat: Treat;
  readonly #behaviour: Behaviour;
  readonly #sockets = new Set<Socket>();
  readonly #agent = new Agent({ keepAlive: true });
  #reference: Reference | undefined;
  #server: Server | undefined;
  #port = 0;
  #count = 0;

  private constructor(treat: Treat, behaviour: Behaviour) {
    this.#treat = treat;
    this.#behaviour = behaviour;
  }

  static async start(treat: Treat, behaviour = specified): Promise<UnreliableTarget> {
    const target = new UnreliableTarget(treat, behaviour);
    await target.revive();
    return target;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get controlUrl(): string {
    return `${this.baseUrl}/__control`;
  }

  /** Ends the target as `kill -9` does: every connection is reset, nothing listens, and all state is lost. */
  async kill(): Promise<void> {
    const server = this.#server;
    const reference = this.#reference;
    this.#server = undefined;
    this.#reference = undefined;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    server?.close();
    await reference?.stop();
  }

  /** Kills the target and starts it again after `afterMs`. Does nothing where it is down already. */
  async restart(afterMs: number): Promise<void> {
    if (this.#server === undefined) return;
    await this.kill();
    await sleep(afterMs);
    await this.revive();
  }

  /** Starts it (again), on the same port. */
  async revive(): Promise<void> {
    this.#reference = await startReference({ behaviour: this.#behaviour });
    const server = createServer((incoming, response) => void this.#take(incoming, response));
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = portOf(server.address());
    this.#server = server;
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? "/";
    const body = await readAll(incoming);
    const treatment = path.startsWith("/v2/") ? this.#treatmentOf(path, body) : "answer";
    if (treatment === "silence") return;
    if (treatment === "drop" || this.#reference === undefined) {
      incoming.socket.destroy();
      return;
    }
    const { method, headers } = incoming;
    const out = forward(this.#reference.baseUrl + path, { method, headers, agent: this.#agent });
    out.on("error", () => incoming.socket.destroy());
    out.on("response", (answer) => {
      void passOn(answer, response, treatment === "cut");
    });
    out.end(body);
  }

  #treatmentOf(path: string, body: Buffer): Treatment {
    this.#count += 1;
    const operation = path.split(/[/?]/)[3] ?? "";
    return this.#treat({ operation, path, body: body.toString("latin1"), count: this.#count });
  }
}

async function passOn(
  answer: IncomingMessage,
  response: ServerResponse,
  isCut: boolean,
): Promise<void> {
  const body = await readAll(answer);
  response.writeHead(answer.statusCode ?? 500, answer.headers);
  if (!isCut) response.end(body);
  else response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  } catch {
    // A peer that goes away ends what it sent.
  }
  return Buffer.concat(chunks);
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}
