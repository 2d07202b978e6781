import { Agent } from "node:http";
import type { AgentOptions, ClientRequest, ClientRequestArgs } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { openSocket } from "../../client/connect.ts";
import type { RequestRules } from "../../client/request-rules.ts";

const options: AgentOptions = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };

/** Shorter than any server keeps an idle connection: one that it closes while a request comes would lose that. */
const idleMs = 1_000;

type Opened = (error: Error | null, stream: Duplex) => void;

/** Opens connections to a server as every engine does: over TLS, by a certificate, through a proxy. */
export class ServerAgent extends Agent {
  readonly #rules: RequestRules;
  readonly #origin: URL;

  constructor(rules: RequestRules, origin: URL) {
    super(options);
    this.#rules = rules;
    this.#origin = origin;
  }

  override createConnection(_options: ClientRequestArgs, opened?: Opened): undefined {
    void this.#open(opened);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    if (socket instanceof Socket) socket.setTimeout(idleMs, () => socket.destroy());
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    // A held answer takes minutes.
    if (socket instanceof Socket) socket.setTimeout(0).removeAllListeners("timeout");
    super.reuseSocket(socket, request);
  }

  async #open(opened?: Opened): Promise<void> {
    try {
      const { timeoutMs } = this.#rules;
      const how = { timeoutMs, speaksHttp2: false };
      opened?.(null, await openSocket(this.#rules, this.#origin, how));
    } catch (error) {
      // Nothing reads the stream beside an error.
      opened?.(error instanceof Error ? error : new Error(String(error)), new Duplex());
    }
  }
}
