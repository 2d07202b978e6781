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
import { Floor } from "./floor.ts";
import { Guest } from "./guest.ts";
import { Undecided } from "./outcome.ts";
import { WebhookReceiver } from "./receiver.ts";
import { Throttle } from "./throttle.ts";

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
  /** How many workers the shared endpoint showed when the run began. */
  readonly workersSeen?: number;
}

/** What one check brings along when it opens an endpoint. */
interface Connection {
  /** The check's own: it learns the keys of the endpoints that are made. */
  readonly redactor: Redactor;
  readonly onExchange: (exchange: Exchange) => void;
  readonly onControl: (call: ControlCall) => void;
  /** Called with the id of each endpoint that was made. */
  readonly onEndpoint: (endpointId: string) => void;
  /** Its place among the other checks. */
  readonly guest: Guest;
  readonly signal?: AbortSignal | undefined;
}

/** How many checks act at once where each has an endpoint of its own. */
const seatsIsolated = 16;

/** What the checks of one run share: connections, secrets, the webhook receiver, and whose turn it is. */
export class Session {
  readonly target: Target;
  readonly seed: number;
  readonly startedAtMs = monotonicNowMs();
  readonly redactor = new Redactor();
  readonly history = new History();
  readonly #floor: Floor;
  readonly #throttle = new Throttle();
  readonly #transport = new Transport();
  #receiver: Promise<WebhookReceiver> | undefined;

  constructor(target: Target, seed: number) {
    this.target = target;
    this.seed = seed;
    this.redactor.add("api key", target.apiKey);
    this.redactor.add("foreign key", target.foreignKey);
    // On a shared endpoint one worker stays free, so that no check waits for another's long job.
    const seatsShared = Math.max(1, (target.workersSeen ?? 1) - 1);
    this.#floor = new Floor(this.isolated ? seatsIsolated : seatsShared);
  }

  /** Whether the target offers a capability. */
  offers(capability: Capability): boolean {
    return this.target.capabilities.includes(capability);
  }

  /** Whether every check gets an endpoint of its own. */
  get isolated(): boolean {
    return this.target.controlUrl !== undefined && this.offers("endpoints");
  }

  /** Whether time stands still between calls of advance. */
  get virtual(): boolean {
    return this.isolated && this.offers("clock");
  }

  /** A place for one check among the others. */
  guest(exclusive: boolean, signal: AbortSignal | undefined): Guest {
    const shared = !this.isolated;
    return new Guest(this.#floor, {
      exclusive: exclusive && shared,
      stays: this.virtual,
      shared,
      signal,
    });
  }

  /** An endpoint for one check: fresh where that is possible, else the shared one. */
  async endpoint(
    options: EndpointOptions,
    { redactor, onExchange, onControl, onEndpoint, guest, signal }: Connection,
  ): Promise<TestEndpoint> {
    const clientFor = (endpointId: string, apiKey: string): JobClient =>
      new JobClient({
        transport: this.#transport,
        redactor,
        baseUrl: this.target.baseUrl,
        endpointId,
        apiKey,
        admit: async (operation) => {
          await guest.before(operation);
          if (!this.isolated) await this.#throttle.admit(operation, signal);
        },
        onExchange: (exchange) => {
          guest.after(exchange);
          onExchange(exchange);
        },
        ...(signal === undefined ? {} : { signal }),
      });
    const { controlUrl } = this.target;
    const control =
      controlUrl === undefined
        ? undefined
        : new ControlClient(this.#transport, controlUrl, onControl);
    if (control !== undefined && this.isolated) {
      const clock = this.virtual ? "virtual" : "real";
      const gate = { redactor, clientFor, onEndpoint, onWait: guest.waits.bind(guest), signal };
      return freshEndpoint(control, gate, { clock, ...options });
    }
    const { endpointId, apiKey, foreignKey } = this.target;
    if (endpointId === undefined || apiKey === undefined) {
      throw new Undecided("no endpoint was named and the target makes no fresh ones");
    }
    const api = clientFor(endpointId, apiKey);
    return sharedEndpoint(api, {
      foreignKey,
      onWait: guest.waits.bind(guest),
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
