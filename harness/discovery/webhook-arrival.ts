import type { Exchange } from "../../client/exchange.ts";
import { RunningTimeout } from "../../client/running-timeout.ts";
import { givenJobId } from "../evidence/failing.ts";
import { recordShownBy } from "../record.ts";
import type { Hook } from "../webhooks/hook.ts";
import type { WebhookReceiver } from "../webhooks/receiver.ts";
import type { Discovery } from "./discovery.ts";

/** After so many jobs whose calls this machine may have missed, nothing is concluded. */
const triesMax = 5;
/** Enough for the submissions of the checks of webhooks. */
const bodyLengthMax = 2000;

/** What the arrival of webhooks is learned from. */
export interface ArrivalParts {
  readonly discovery: Discovery;
  /** Undefined while no check has asked for it. */
  readonly receiver: () => WebhookReceiver | undefined;
  /** How soon after the end of a job its webhook is called, in milliseconds. */
  readonly withinMs: number;
}

/** Learns from the jobs of the checks whether a webhook is called at all, so that none is waited for in vain twice. */
export class WebhookArrival {
  readonly #parts: ArrivalParts;
  /** The submissions that name a webhook, by the job's id. */
  readonly #submitted = new Map<string, { readonly exchange: Exchange; readonly hook: Hook }>();
  #timeout: RunningTimeout | undefined;
  /** Settles when the call that is waited for has come or not. */
  #judging: Promise<void> | undefined;
  #tries = 0;
  /** Whether a webhook was called; what a handler tells of its work comes to the same receiver. */
  #wasCalled = false;

  constructor(parts: ArrivalParts) {
    this.#parts = parts;
  }

  /** Has to be called with every exchange. */
  note(exchange: Exchange): void {
    if (this.#isDone || this.#timeout !== undefined) return;
    this.#noteSubmission(exchange);
    const record = recordShownBy(exchange);
    if (record?.status !== "COMPLETED") return;
    const submitted = this.#submitted.get(record.id);
    if (submitted === undefined) return;
    this.#tries += 1;
    this.#judging = new Promise((resolve) => {
      this.#timeout = new RunningTimeout(() => {
        this.#timeout = undefined;
        void this.#judge(submitted, exchange).finally(resolve);
      }, this.#parts.withinMs);
    });
  }

  /** Settles when it is known whether webhooks are called: at once where one was, or where none had to be so far. */
  async known(): Promise<void> {
    if (!this.#isAnyCalled) await this.#judging;
  }

  close(): void {
    this.#timeout?.clear();
  }

  get #isDone(): boolean {
    return this.#wasCalled || this.#tries >= triesMax || this.#parts.discovery.knows(id);
  }

  get #isAnyCalled(): boolean {
    return [...this.#submitted.values()].some(({ hook }) => hook.attempts.length > 0);
  }

  #noteSubmission(exchange: Exchange): void {
    const { body = "" } = exchange.request;
    if (body.length > bodyLengthMax) return;
    const [, url] = /"webhook":"([^"]+)"/.exec(body) ?? [];
    const hook = url === undefined ? undefined : this.#parts.receiver()?.hookAt(url);
    const jobId = hook === undefined ? undefined : givenJobId(exchange);
    if (hook !== undefined && jobId !== undefined) this.#submitted.set(jobId, { exchange, hook });
  }

  async #judge(
    { exchange, hook }: { readonly exchange: Exchange; readonly hook: Hook },
    ended: Exchange,
  ): Promise<void> {
    const receiver = this.#parts.receiver();
    if (receiver === undefined || (await receiver.whyCallsMayDiffer(hook)) !== undefined) return;
    this.#wasCalled = this.#isAnyCalled;
    if (!this.#wasCalled) learnNoWebhooks(this.#parts, [exchange, ended]);
  }
}

const id = "webhooks-never-arrive";

function learnNoWebhooks({ discovery, withinMs }: ArrivalParts, seen: readonly Exchange[]): void {
  discovery.learn({
    id,
    topic: "webhooks",
    text: `no webhook is called within ${withinMs / 1000} s of a job's end`,
    adapted: "no further one is waited for",
    breaks: ["HOOK-01"],
    expected: "a POST to the webhook, once the job has completed",
    got: "no call",
    explains: ({ requirement }) => requirement === "SUBM-06",
    takesAway: "webhook",
    deviations: { lacks: ["webhook"] },
    seen,
  });
}
