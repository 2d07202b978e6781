import {
  ControlClient,
  JobClient,
  Redactor,
  Transport,
  monotonicNowMs,
} from "../../client/index.ts";
import type { ControlCall, EndpointOptions, Exchange } from "../../client/index.ts";
import type { Capability } from "../../openapi/index.ts";
import { History } from "../history/history.ts";
import { freshEndpoint, sharedEndpoint } from "./endpoint.ts";
import type { TestEndpoint } from "./endpoint.ts";
import { Undecided } from "./outcome.ts";
import { WebhookReceiver } from "./receiver.ts";
import { Places, Turn } from "./turn.ts";

/** A target as the run knows it: where it is, how to get in, what it offers. */
export interface Target {
  /** Service address, without `/v2` and without a slash at the end. */
  readonly baseUrl: string;
  /** The endpoint to share; absent where every check makes its own. */
  readonly endpointId?: string;
  readonly apiKey?: string;
  readonly foreignKey?: string;
  readonly controlUrl?: string;
  readonly capabilities: readonly Capability[];
  readonly webhookUrl?: string;
  /** Where the receiver listens; absent: the port of `webhookUrl`, or any free one. */
  readonly webhookPort?: number;
}

/** What one check brings along when it opens an endpoint. */
interface Connection {
  /** The check's own: it learns the keys of the endpoints that are made. */
  readonly redactor: Redactor;
  readonly onExchange: (exchange: Exchange) => void;
  readonly onControl: (call: ControlCall) => void;
  /** Called with the id of each endpoint that was made. */
  readonly onEndpoint: (endpointId: string) => void;
  /** It keeps a shared endpoint to itself, also while it waits. */
  readonly exclusive?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How many checks act at once where each has an endpoint of its own. */
const parallelChecks = 16;

/** What the checks of one run share: connections, secrets, the webhook receiver, and whose turn it is. */
export class Session {
  readonly target: Target;
  readonly seed: number;
  readonly startedAtMs = monotonicNowMs();
  readonly redactor = new Redactor();
  readonly history = new History();
  readonly places = new Places(parallelChecks);
  readonly turn = new Turn();
  readonly #transport = new Transport();
  #receiver: Promise<WebhookReceiver> | undefined;

  constructor(target: Target, seed: number) {
    this.target = target;
    this.seed = seed;
    this.redactor.add("api key", target.apiKey);
    this.redactor.add("foreign key", target.foreignKey);
  }

  /** Whether the target offers a capability. */
  offers(capability: Capability): boolean {
    return this.target.capabilities.includes(capability);
  }

  /** Whether every check gets an endpoint of its own. */
  get isolated(): boolean {
    return this.target.controlUrl !== undefined && this.offers("endpoints");
  }

  /** An endpoint for one check: fresh where that is possible, else the shared one. */
  async endpoint(
    options: EndpointOptions,
    { redactor, onExchange, onControl, onEndpoint, exclusive, signal }: Connection,
  ): Promise<TestEndpoint> {
    const clientFor = (endpointId: string, apiKey: string): JobClient =>
      new JobClient({
        transport: this.#transport,
        redactor,
        baseUrl: this.target.baseUrl,
        endpointId,
        apiKey,
        onExchange,
        ...(signal === undefined ? {} : { signal }),
      });
    const { controlUrl } = this.target;
    const control =
      controlUrl === undefined
        ? undefined
        : new ControlClient(this.#transport, controlUrl, onControl);
    if (control !== undefined && this.isolated) {
      const clock = this.offers("clock") ? "virtual" : "real";
      return freshEndpoint(control, { redactor, clientFor, onEndpoint }, { clock, ...options });
    }
    const { endpointId, apiKey, foreignKey } = this.target;
    if (endpointId === undefined || apiKey === undefined) {
      throw new Undecided("no endpoint was named and the target makes no fresh ones");
    }
    const turn = exclusive === true ? undefined : this.turn;
    const api = clientFor(endpointId, apiKey);
    return sharedEndpoint(api, {
      foreignKey,
      turn,
      control: this.offers("workers") ? control : undefined,
    });
  }

  /** The receiver of webhooks, started when the first check asks for it. */
  async receiver(): Promise<WebhookReceiver> {
    this.#receiver ??= WebhookReceiver.start({
      publicUrl: this.target.webhookUrl,
      port: this.target.webhookPort,
    });
    return this.#receiver;
  }

  /** Ends every connection and the receiver. */
  async close(): Promise<void> {
    // One that could not start has told the checks that asked for it.
    const receiver = await this.#receiver?.catch(() => undefined);
    await receiver?.stop();
    await this.#transport.close();
  }
}
