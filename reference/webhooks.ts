import { randomUUID } from "node:crypto";

import { interceptors, request, type Dispatcher } from "undici";

import { isFinal } from "./transitions.ts";
import type { Behaviour } from "./behaviour.ts";
import type { WebhookFailure, WebhookOutcome } from "./behaviour/webhook.ts";
import { abortAfter } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { Job, JsonObject } from "./job.ts";
import { WebhookForbidden, webhookHeaders, type WebhookTargets } from "./webhook-targets.ts";

export interface WebhookHost {
  readonly behaviour: Behaviour;
  readonly clock: Clock;
  readonly targets: WebhookTargets;
  /** The job's status answer as it stands. */
  readonly recordOf: (job: Job) => JsonObject;
  /** Called when the last attempt has failed, or one was acknowledged. */
  readonly onOver: (job: Job, wasAcknowledged: boolean) => void;
  /** Called when a delivery is due at another time, or over. */
  readonly onChange: (delivery: Delivery) => void;
  /** Settles when what a receiver could learn of the job is kept, rejects where it cannot be; undefined where it is. */
  readonly written: (job: Job) => Promise<void> | undefined;
}

/** One call of a webhook, with its further attempts. */
export interface Delivery {
  readonly id: string;
  readonly job: Job;
  readonly url: string;
  /** The record of the moment the job ended: a later retry of the job does not change the message. */
  readonly record: JsonObject;
  /** The attempt that comes next or is under way, from 1. */
  attempt: number;
  dueAtMs: number;
  isOver: boolean;
}

/** What came of one attempt, and when. */
export interface WebhookAttempt extends Posted {
  readonly atMs: number;
  readonly wasAcknowledged: boolean;
}

export interface WebhookTally {
  acknowledged: number;
  failed: number;
}

type Posted = Pick<WebhookOutcome, "status" | "failure">;

/** The calls of one endpoint's webhooks (docs/specification.md#events), over real HTTP on the endpoint's clock. */
export class Webhooks {
  readonly #host: WebhookHost;
  /** One controller for each attempt that is under way. */
  readonly #attempts = new Set<AbortController>();
  /** The call of each job's last ending. */
  readonly #latest = new WeakMap<Job, Delivery>();
  readonly #log = new WeakMap<Job, WebhookAttempt[]>();
  readonly tally: WebhookTally = { acknowledged: 0, failed: 0 };
  #isStopped = false;
  #dispatcher: Dispatcher | undefined;
  #previousUrl: string | undefined;

  constructor(host: WebhookHost) {
    this.#host = host;
  }

  /** Where the job's webhook is called; undefined where there is none to call. */
  urlOf(job: Job): string | undefined {
    return this.#host.behaviour.webhook.url(job, this.#previousUrl);
  }

  /** Starts the call and returns at once: nothing of a job ever waits for its receiver. */
  call(job: Job): void {
    const url = this.urlOf(job);
    if (url === undefined) return;
    this.#previousUrl = url;
    const { behaviour, clock } = this.#host;
    const nowMs = clock.nowMs();
    const dueAtMs = nowMs + behaviour.webhook.startsAfterMs(job, nowMs);
    const record = this.#host.recordOf(job);
    const delivery: Delivery = {
      id: randomUUID(),
      job,
      url,
      record,
      attempt: 1,
      dueAtMs,
      isOver: false,
    };
    this.#latest.set(job, delivery);
    this.#host.onChange(delivery);
    if (dueAtMs > nowMs) this.resume(delivery);
    else this.#attempt(delivery);
  }

  /** Goes on with a call that a restart interrupted: the attempt under way then is made again. */
  resume(delivery: Delivery): void {
    this.#host.clock.schedule(delivery.dueAtMs, () => this.#attempt(delivery));
  }

  /** The attempts for a job, of all its endings, the oldest first. */
  attemptsOf(job: Job): readonly WebhookAttempt[] {
    return this.#log.get(job) ?? [];
  }

  stop(): void {
    this.#isStopped = true;
    for (const attempt of this.#attempts) attempt.abort();
  }

  #attempt(delivery: Delivery): void {
    if (this.#isStopped || this.#isDropped(delivery)) return;
    this.#host.clock.track(this.#carryOut(delivery));
  }

  /** Ends the attempts for an ending that the job's retry has undone, where they do not go on. */
  #isDropped(delivery: Delivery): boolean {
    const { job } = delivery;
    const isLatest = (this.#latest.get(job) ?? delivery) === delivery && isFinal(job.status);
    if (this.#host.behaviour.webhook.outlivesRetry || isLatest) return false;
    this.#end(delivery, false);
    return true;
  }

  async #carryOut(delivery: Delivery): Promise<void> {
    const { job, attempt } = delivery;
    try {
      await this.#host.written(job);
    } catch {
      this.#postpone(delivery);
      return;
    }
    const { status, failure } = await this.#post(delivery);
    this.#conclude(delivery, { status, failure, attempt, job });
  }

  /** What is not kept is not told: the same attempt is made later. */
  #postpone(delivery: Delivery): void {
    if (this.#isStopped) return;
    const { job, attempt } = delivery;
    delivery.isOver = job.isGivenUp;
    this.#makeDue(delivery, { status: undefined, failure: undefined, attempt, job });
  }

  #conclude(delivery: Delivery, outcome: WebhookOutcome): void {
    if (this.#isStopped) return;
    const { webhook } = this.#host.behaviour;
    const { attempt } = outcome;
    const isAcknowledged = webhook.acknowledges(outcome);
    this.#note(outcome, isAcknowledged);
    if (isAcknowledged || attempt >= webhook.attemptsMax(outcome)) {
      this.#end(delivery, isAcknowledged);
      return;
    }
    delivery.attempt = attempt + 1;
    this.#makeDue(delivery, outcome);
  }

  #end(delivery: Delivery, wasAcknowledged: boolean): void {
    delivery.isOver = true;
    this.#host.onChange(delivery);
    this.#host.onOver(delivery.job, wasAcknowledged);
  }

  /** Has the next attempt made after the spacing that follows an outcome. */
  #makeDue(delivery: Delivery, outcome: WebhookOutcome): void {
    const { behaviour, clock, onChange } = this.#host;
    delivery.dueAtMs = clock.nowMs() + behaviour.webhook.spacingMs(outcome);
    onChange(delivery);
    if (!delivery.isOver) this.resume(delivery);
  }

  #note({ job, status, failure }: WebhookOutcome, wasAcknowledged: boolean): void {
    this.tally[wasAcknowledged ? "acknowledged" : "failed"] += 1;
    const log = this.#log.get(job) ?? [];
    log.push({ status, failure, wasAcknowledged, atMs: this.#host.clock.nowMs() });
    this.#log.set(job, log);
  }

  /** The receiver's status, or why there is none. Never throws. */
  async #post({ job, url, record, attempt }: Delivery): Promise<Posted> {
    const { behaviour, clock } = this.#host;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = abortAfter(controller, behaviour.webhook.answerWithinMs(clock.mode));
    this.#attempts.add(controller);
    try {
      const { statusCode, body } = await request(url, {
        method: behaviour.webhook.method(job, attempt),
        headers: {
          ...webhookHeaders,
          "content-type": "application/json",
          "user-agent": "queueproof-reference",
        },
        body: JSON.stringify(behaviour.webhook.body(record, job, attempt)),
        dispatcher: this.#lazyDispatcher(),
        // Each has a connection of its own: one that the receiver has just closed would look like a failed attempt.
        // Where a virtual clock is moved, calls follow one another too fast for that.
        reset: clock.mode === "real",
        signal,
      });
      await body.dump({ limit: 65_536, signal }).catch(() => {});
      return { status: statusCode, failure: undefined };
    } catch (error) {
      return { status: undefined, failure: signal.aborted ? "silent" : failureOf(error) };
    } finally {
      timer.cancel();
      this.#attempts.delete(controller);
    }
  }

  #lazyDispatcher(): Dispatcher {
    if (this.#dispatcher !== undefined) return this.#dispatcher;
    const { agent } = this.#host.targets;
    const maxRedirections = this.#host.behaviour.webhook.redirectsMax;
    this.#dispatcher =
      maxRedirections === 0 ? agent : agent.compose(interceptors.redirect({ maxRedirections }));
    return this.#dispatcher;
  }
}

function failureOf(error: unknown): WebhookFailure {
  if (error instanceof WebhookForbidden) return "forbidden";
  const isRefused = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
  return isRefused ? "refused" : "dropped";
}
