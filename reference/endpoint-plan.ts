import type { Behaviour } from "./behaviour.ts";
import type { Counter } from "./behaviour/operations.ts";
import type { Clock } from "./clock.ts";
import type { Job } from "./job.ts";
import type { Journal } from "./journal.ts";
import type { OwnLimits } from "./limits.ts";
import type { JobHandler } from "./own-handler.ts";
import type { WebhookTargets } from "./webhook-targets.ts";
import type { Delivery } from "./webhooks.ts";
import type { Fleet } from "./worker-protocol/fleet.ts";
import type { WorkerPlan } from "./workers.ts";

/** How an endpoint is laid out, without its name and its keys. */
export interface EndpointPlan {
  readonly workers: WorkerPlan;
  /** Requests of every operation for each worker that runs. */
  readonly allowancePerWorker: number;
  readonly executionTimeoutMs: number | undefined;
  readonly limits?: OwnLimits | undefined;
}

/** @template Sibling what an endpoint of the server is once it has been made of its plan */
export interface PlannedEndpoint<Sibling> extends EndpointPlan {
  readonly id: string;
  readonly apiKey: string;
  readonly foreignKey: string;
  readonly behaviour: Behaviour;
  readonly clock: Clock;
  readonly journal?: Journal<Sibling> | undefined;
  readonly webhookTargets: WebhookTargets;
  /** What its workers do with a job; absent: the conformance handler. */
  readonly handler?: JobHandler | undefined;
  /** The processes that work for it, in place of the built-in workers. */
  readonly fleet?: Fleet | undefined;
  /** Every endpoint of the server, this one too. */
  readonly siblings: () => Iterable<Sibling>;
}

/** What an endpoint was before its server was stopped. */
export interface FormerEndpoint {
  readonly counts: Readonly<Record<Counter, number>>;
  readonly sequence: number;
  readonly jobs: readonly FormerJob[];
  readonly deliveries: readonly Delivery[];
}

export interface FormerJob {
  readonly job: Job;
  readonly ttlEndsAtMs: number | undefined;
  readonly retentionEndsAtMs: number | undefined;
}
