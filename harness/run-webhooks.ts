import type { Exchange } from "../client/exchange.ts";
import type { ConfiguredDialect } from "./dialects/configured-dialect.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { WebhookArrival } from "./discovery/webhook-arrival.ts";
import { WebhookRepetition } from "./discovery/webhook-repetition.ts";
import type { Target } from "./target.ts";
import { WebhookReceiver } from "./webhooks/receiver.ts";

/** What a run has to know to receive webhooks. */
export interface RunWebhooksOptions {
  readonly target: Target;
  readonly dialect: ConfiguredDialect;
  readonly discovery: Discovery;
  /** Whether the target's clocks are virtual. */
  readonly virtual: boolean;
}

/** On a virtual clock only the target's own time goes by before a call, in milliseconds. */
const arrivesWithinMs = { virtual: 4000, real: 10_000 } as const;

/** The webhooks of a run: a receiver that is started when it is first asked for, and what is learned of their arrival. */
export class RunWebhooks {
  readonly #options: RunWebhooksOptions;
  readonly #arrival: WebhookArrival;
  /** Absent where time does not go by for the target as it does here. */
  readonly #repetition: WebhookRepetition | undefined;
  #starting: Promise<WebhookReceiver> | undefined;
  #started: WebhookReceiver | undefined;

  constructor(options: RunWebhooksOptions) {
    this.#options = options;
    const { discovery, target, virtual } = options;
    const withinMs = arrivesWithinMs[virtual ? "virtual" : "real"];
    this.#arrival = new WebhookArrival({ discovery, withinMs, receiver: () => this.#started });
    const isRealTime = !virtual && !target.capabilities.includes("clock");
    this.#repetition = isRealTime ? new WebhookRepetition(discovery) : undefined;
  }

  /** The receiver, started when the first check asks for it. */
  async receiver(): Promise<WebhookReceiver> {
    const { target, dialect } = this.#options;
    this.#starting ??= WebhookReceiver.start({
      publicUrl: target.webhookUrl,
      port: target.webhookPort,
      read: dialect.webhookBody.bind(dialect),
    });
    this.#started = await this.#starting;
    return this.#started;
  }

  /** Has to be called with every exchange. */
  note(exchange: Exchange): void {
    if (this.#options.target.discovers === false) return;
    this.#arrival.note(exchange);
    this.#repetition?.note(this.#started);
  }

  /** Has to be called where the target went away and came back. */
  forget(): void {
    this.#repetition?.forget();
  }

  /** Settles when it is known whether webhooks are called at all. */
  async known(): Promise<void> {
    await this.#arrival.known();
  }

  async close(): Promise<void> {
    this.#arrival.close();
    // If the receiver could not start, the checks that asked for it were told.
    const receiver = await this.#starting?.catch(() => undefined);
    await receiver?.stop();
  }
}
