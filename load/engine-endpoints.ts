import { setTimeout as pause } from "node:timers/promises";

import { ControlClient, JobClient, Redactor, Transport } from "../client/index.ts";
import type { EndpointOptions } from "../client/index.ts";
import type { Capability } from "../openapi/index.ts";
import { windowMs } from "../openapi/index.ts";

/** The target, as far as the engines need it. */
export interface EngineTarget {
  /** Without `/v2` and without a slash at the end. */
  readonly baseUrl: string;
  readonly endpointId?: string;
  readonly apiKey?: string;
  readonly controlUrl?: string;
  readonly capabilities: readonly Capability[];
}

/** Whatever the kind of window, 20 s of silence make the whole limit free again (RATE-09). */
export const silenceMs = silenceFor(windowMs);

function silenceFor(ofWindowMs: number): number {
  return 2 * ofWindowMs + 1_000;
}

/** Endpoints on a real clock for engines that know no other. */
export class EngineEndpoints {
  readonly redactor = new Redactor();
  readonly #target: EngineTarget;
  readonly #transport = new Transport(8);
  readonly #control: ControlClient | undefined;
  readonly #made: string[] = [];

  constructor(target: EngineTarget) {
    this.#target = target;
    const { controlUrl, capabilities } = target;
    if (controlUrl !== undefined && capabilities.includes("endpoints")) {
      this.#control = new ControlClient(this.#transport, controlUrl);
    }
  }

  /** Whether each endpoint is a new one. */
  get areFresh(): boolean {
    return this.#control !== undefined;
  }

  /** Whether there is any. */
  get exist(): boolean {
    const { endpointId, apiKey } = this.#target;
    return this.areFresh || (endpointId !== undefined && apiKey !== undefined);
  }

  /** A fresh endpoint where the target makes them, else the one there is. */
  async next(options: EndpointOptions = {}): Promise<JobClient> {
    const { redactor } = this;
    const { baseUrl, endpointId = "", apiKey } = this.#target;
    const common = { transport: this.#transport, redactor, baseUrl };
    if (this.#control === undefined) return new JobClient({ ...common, endpointId, apiKey });

    const made = await this.#control.createEndpoint({ clock: "real", ...options });
    this.#made.push(made.endpointId);
    return new JobClient({ ...common, endpointId: made.endpointId, apiKey: made.apiKey });
  }

  /** The same, its windows empty: the one there is has to be left alone for that. */
  async nextRested(
    signal: AbortSignal | undefined,
    options: EndpointOptions = {},
    ofWindowMs = windowMs,
  ): Promise<JobClient> {
    if (!this.areFresh) {
      await pause(silenceFor(ofWindowMs), undefined, signal === undefined ? {} : { signal });
    }
    return this.next(options);
  }

  /** Frees the endpoints that were made. */
  async close(): Promise<void> {
    for (const endpointId of this.#made) {
      await this.#control?.deleteEndpoint(endpointId).catch(() => undefined);
    }
    await this.#transport.close();
  }
}
