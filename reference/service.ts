import { randomBytes } from "node:crypto";

import type { Behaviour } from "./behaviour.ts";
import { RealClock, VirtualClock, type ClockMode } from "./clock.ts";
import { Endpoint } from "./endpoint.ts";
import type { WorkerPlan } from "./workers.ts";

export interface NewEndpoint {
  readonly workers?: WorkerPlan | undefined;
  readonly allowancePerWorker?: number | undefined;
  readonly clock?: ClockMode | undefined;
  readonly executionTimeoutMs?: number | undefined;
  /** Chosen at random when absent. */
  readonly id?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly foreignKey?: string | undefined;
}

/** The endpoints of one server and the keys it has given out. */
export class Service {
  readonly behaviour: Behaviour;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #keys = new Set<string>();

  constructor(behaviour: Behaviour) {
    this.behaviour = behaviour;
  }

  create(options: NewEndpoint): Endpoint {
    const endpoint = new Endpoint({
      id: options.id ?? randomBytes(7).toString("hex"),
      apiKey: options.apiKey ?? createKey(),
      foreignKey: options.foreignKey ?? createKey(),
      behaviour: this.behaviour,
      clock:
        options.clock === "real"
          ? new RealClock()
          : new VirtualClock(this.behaviour.origin.clockMs),
      workers: options.workers ?? 1,
      allowancePerWorker: options.allowancePerWorker ?? 0,
      executionTimeoutMs: options.executionTimeoutMs,
      siblings: () => this.#endpoints.values(),
    });
    this.#endpoints.set(endpoint.id, endpoint);
    this.#keys.add(endpoint.apiKey).add(endpoint.foreignKey);
    return endpoint;
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
    this.#endpoints.delete(endpoint.id);
    this.#keys.delete(endpoint.apiKey);
    this.#keys.delete(endpoint.foreignKey);
    endpoint.close();
  }

  stop(): void {
    for (const endpoint of this.#endpoints.values()) this.remove(endpoint);
  }
}

function createKey(): string {
  return `qp_${randomBytes(20).toString("hex")}`;
}
