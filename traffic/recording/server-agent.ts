import { Agent } from "node:http";
import type { AgentOptions, ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";
import { openSocket } from "../../client/connect.ts";
import type { RequestRules } from "../../client/request-rules.ts";

const options: AgentOptions = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };

/** Opens connections to a server as every engine does: over TLS, by a certificate, through a proxy. */
export class ServerAgent extends Agent {
  readonly #rules: RequestRules;
  readonly #origin: URL;

  constructor(rules: RequestRules, origin: URL) {
    super(options);
    this.#rules = rules;
    this.#origin = origin;
  }

  override createConnection(
    _options: ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { timeoutMs } = this.#rules;
    openSocket(this.#rules, this.#origin, { timeoutMs, speaksHttp2: false }).then(
      (socket) => done?.(null, socket),
      (error: Error) => {
        // Nothing reads the stream where there is an error.
        const fail: ((error: Error) => void) | undefined = done as typeof fail;
        fail?.(error);
      },
    );
  }
}
