import { withoutTrailingSlash } from "../client/endpoint-address.ts";
import { ControlClient } from "../client/control-client.ts";
import type { EndpointOptions } from "../client/control-client.ts";
import { rulesFor } from "../client/request-rules.ts";
import { Transport } from "../client/transport.ts";
import type { OperationName } from "../openapi/operations.ts";

/** An endpoint that was made for one test: its queue, clock and limits are its own. */
export interface EndpointControl {
  /** Where its operations are: `{baseUrl}/v2/{endpointId}`. */
  readonly url: string;
  readonly endpointId: string;
  readonly apiKey: string;
  /** A valid key without permission for it. */
  readonly foreignKey: string;
  /** The time on its clock, in milliseconds. */
  nowMs(): Promise<number>;
  /**
   * Moves its virtual clock on by so many milliseconds. Answers the new time, once everything due until then has
   * happened: jobs have ended, webhooks have been called, held answers have been sent.
   */
  advance(ms: number): Promise<number>;
  /** Sets how many workers it has, 0 included. */
  workers(count: number): Promise<void>;
  /** Holds the answers of an operation back, from the next request on. */
  hold(operation: OperationName): Promise<void>;
  /** Lets the answers of an operation go. */
  release(operation: OperationName): Promise<void>;
  /** Frees it and everything that it holds. */
  remove(): Promise<void>;
}

/** A server that speaks the control protocol (docs/control-protocol.md). */
export interface ControlledServer {
  readonly baseUrl: string;
  readonly controlUrl: string;
}

/** A connection to the control protocol of a server, which may be any that speaks it. */
export class Control {
  readonly #server: ControlledServer;
  #transport: Transport | undefined;

  constructor(server: ControlledServer) {
    this.#server = server;
  }

  /** Makes an endpoint, by default with one worker and a virtual clock. */
  async endpoint(options: EndpointOptions = {}): Promise<EndpointControl> {
    const { baseUrl, controlUrl } = this.#server;
    this.#transport ??= new Transport(rulesFor(this.#server));
    const control = new ControlClient(this.#transport, controlUrl);
    const { endpointId, apiKey, foreignKey } = await control.createEndpoint(options);
    return {
      url: `${withoutTrailingSlash(baseUrl)}/v2/${encodeURIComponent(endpointId)}`,
      endpointId,
      apiKey,
      foreignKey,
      nowMs: async () => (await control.clock(endpointId)).nowMs,
      advance: async (ms) => control.advance(endpointId, ms),
      workers: async (count) => control.setWorkers(endpointId, count),
      hold: async (operation) => control.hold(endpointId, operation, true),
      release: async (operation) => control.hold(endpointId, operation, false),
      remove: async () => control.deleteEndpoint(endpointId),
    };
  }

  /** Ends its connections; the endpoints stay. */
  async close(): Promise<void> {
    await this.#transport?.close();
  }
}
