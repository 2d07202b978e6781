import { randomBytes } from "node:crypto";

import type { Behaviour } from "./behaviour.ts";
import { RealClock, VirtualClock } from "./clock.ts";
import type { Clock, ClockMode } from "./clock.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";
import { Endpoint } from "./endpoint.ts";
import type { Journal } from "./journal.ts";
import type { JobHandler } from "./own-handler.ts";
import type { RequestLog } from "./request-log.ts";
import { WebhookTargets } from "./webhook-targets.ts";
import type { Fleet } from "./worker-protocol/fleet.ts";
import { UNLIMITED_WORKERS, type WorkerPlan } from "./workers.ts";

type Optional<Shape> = { readonly [Name in keyof Shape]?: Shape[Name] | undefined };

export interface NewEndpoint extends Optional<EndpointPlan> {
  readonly clock?: ClockMode | undefined;
  /** How many times as fast as real time a real clock runs; default 1. */
  readonly speed?: number | undefined;
  /** A time the clock has shown already; it never goes back. */
  readonly notBeforeMs?: number | undefined;
  /** Chosen at random when absent. */
  readonly id?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly foreignKey?: string | undefined;
}

/** What a worker printed between two moments, in milliseconds since the epoch. */
export type WorkerLines = (workerId: string, fromMs: number, toMs: number) => readonly string[];

interface ServiceParts {
  /** Keeps the latest requests for people to look at. */
  readonly requests?: RequestLog | undefined;
  readonly journal?: Journal<Endpoint> | undefined;
  /** What built-in workers do with a job; default the conformance handler. */
  readonly handler?: JobHandler | undefined;
  readonly fleet?: Fleet | undefined;
  readonly workerLines?: WorkerLines | undefined;
  /** Default any. */
  readonly webhookTargets?: WebhookTargets | undefined;
}

/** The endpoints of one server and the keys it has given out. */
export class Service {
  readonly behaviour: Behaviour;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #keys = new Set<string>();

  /** Where everything is kept that has to outlive the process; undefined: nowhere. */
  readonly journal: Journal<Endpoint> | undefined;
  /** The processes that work for every endpoint on a real clock, in place of the built-in handler. */
  readonly fleet: Fleet | undefined;

  /** The latest requests, where somebody may look at them. */
  readonly requests: RequestLog | undefined;
  /** What external workers printed, where somebody keeps it. */
  readonly workerLines: WorkerLines | undefined;
  readonly #handler: JobHandler | undefined;
  readonly #webhookTargets: WebhookTargets;

  constructor(behaviour: Behaviour, parts: ServiceParts = {}) {
    const { journal, handler, fleet, webhookTargets, requests, workerLines } = parts;
    this.requests = requests;
    this.workerLines = workerLines;
    this.#handler = handler;
    this.fleet = fleet;
    this.behaviour = behaviour;
    this.journal = journal;
    this.#webhookTargets = webhookTargets ?? new WebhookTargets();
  }

  get endpoints(): Iterable<Endpoint> {
    return this.#endpoints.values();
  }

  create(options: NewEndpoint): Endpoint {
    const fleet = options.clock === "real" ? this.fleet : undefined;
    const endpoint = new Endpoint({
      id: options.id ?? randomBytes(7).toString("hex"),
      apiKey: options.apiKey ?? createKey(),
      foreignKey: options.foreignKey ?? createKey(),
      behaviour: this.behaviour,
      clock: this.#clockOf(options),
      handler: this.#handler,
      fleet,
      workers: workersOf(options, fleet),
      allowancePerWorker: options.allowancePerWorker ?? 0,
      executionTimeoutMs: options.executionTimeoutMs,
      limits: options.limits,
      journal: this.journal,
      webhookTargets: this.#webhookTargets,
      siblings: () => this.#endpoints.values(),
    });
    this.#endpoints.set(endpoint.id, endpoint);
    this.#keys.add(endpoint.apiKey).add(endpoint.foreignKey);
    this.journal?.endpointChanged(endpoint);
    return endpoint;
  }

  #clockOf({ clock, speed, notBeforeMs }: NewEndpoint): Clock {
    return clock === "real"
      ? new RealClock({ speed, notBeforeMs })
      : new VirtualClock(notBeforeMs ?? this.behaviour.origin.clockMs);
  }

  find(endpointId: string): Endpoint | undefined {
    const { endpointIdOf } = this.behaviour.operations;
    return this.#endpoints.get(endpointIdOf(endpointId, this.#endpoints.keys()));
  }

  isKnownKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Closes an endpoint and frees its data and its keys. */
  remove(endpoint: Endpoint): void {
    this.journal?.endpointRemoved(endpoint);
    this.#forget(endpoint);
  }

  /** Closes every endpoint. What the journal was told stays as it is. */
  stop(): void {
    for (const endpoint of this.#endpoints.values()) this.#forget(endpoint);
    this.#webhookTargets.close();
    this.fleet?.close();
  }

  #forget(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint.id);
    this.#keys.delete(endpoint.apiKey);
    this.#keys.delete(endpoint.foreignKey);
    endpoint.close();
  }
}

/** What a state file kept of real workers means nothing without them. */
function workersOf({ workers }: NewEndpoint, fleet: Fleet | undefined): WorkerPlan {
  if (fleet !== undefined) return workers ?? UNLIMITED_WORKERS;
  return workers === undefined || workers === UNLIMITED_WORKERS ? 1 : workers;
}

function createKey(): string {
  return `qp_${randomBytes(20).toString("hex")}`;
}
