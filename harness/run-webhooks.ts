import type { Exchange } from "../client/exchange.ts";
import type { ConfiguredDialect } from "./dialects/configured-dialect.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { WebhookArrival } from "./discovery/webhook-arrival.ts";
import type { Target } from "./target.ts";
import { WebhookReceiver } from "./webhooks/receiver.ts";

/** What a run has to know to receive webhooks. */
export interface RunWebhooksOptions {
  readonly target: Target;
  readonly dialect: ConfiguredDialect;
  readonly discovery: Discovery;
  /** Whether it is learned from the jobs of checks that no webhook is called. */
  readonly learns: boolean;
}

/** The webhooks of a run: a receiver that is started when it is first asked for, and what is learned of their arrival. */
export class RunWebhooks {
  readonly #options: RunWebhooksOptions;
  readonly #arrival: WebhookArrival;
  #starting: Promise<WebhookReceiver> | undefined;
  #started: WebhookReceiver | undefined;

  constructor(options: RunWebhooksOptions) {
    this.#options = options;
    const { discovery } = options;
    this.#arrival = new WebhookArrival({ discovery, receiver: () => this.#started });
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
    if (this.#options.learns) this.#arrival.note(exchange);
  }

  async close(): Promise<void> {
    this.#arrival.close();
    // If the receiver could not start, the checks that asked for it were told.
    const receiver = await this.#starting?.catch(() => undefined);
    await receiver?.stop();
  }
}
