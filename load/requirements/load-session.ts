import { Unsupported } from "../../harness/outcome.ts";
import { ControlClient, Transport, rulesFor } from "../../client/index.ts";
import type { EndpointOptions, RequestRules } from "../../client/index.ts";
import type { Capability, OperationName, Tier } from "../../openapi/index.ts";
import type { LoadMeter } from "../meter.ts";
import type { Situation } from "./situation.ts";
import { clearedTogether, nothingCleared } from "./clear-jobs.ts";
import type { Cleared } from "./clear-jobs.ts";
import { LoadEndpoint } from "./endpoint.ts";

/** The target, as far as load needs it. */
export interface LoadTarget {
  /** Without `/v2` and without a slash at the end. */
  readonly baseUrl: string;
  readonly endpointId?: string;
  readonly apiKey?: string;
  readonly controlUrl?: string;
  readonly capabilities: readonly Capability[];
  /** How requests to it are sent; absent: as to any. */
  readonly rules?: RequestRules;
}

/** What the checks of one run share: the target, its endpoints, and what they have sent. */
export class LoadSession {
  readonly target: LoadTarget;
  readonly signal: AbortSignal | undefined;
  readonly startedAtMs = performance.now();
  /** How requests are sent. */
  readonly rules: RequestRules;
  readonly #transport: Transport;
  readonly #control: ControlClient | undefined;
  readonly #endpoints: LoadEndpoint[] = [];

  /** What was purged and cancelled of the jobs that checks left. */
  cleared: Cleared = nothingCleared;
  readonly #meter: LoadMeter | undefined;
  readonly #stop = (): void => {
    for (const endpoint of this.#endpoints) endpoint.close();
  };

  constructor(target: LoadTarget, signal?: AbortSignal, meter?: LoadMeter) {
    this.target = target;
    this.rules = rulesFor(target);
    this.#transport = new Transport(this.rules, 8);
    this.signal = signal;
    this.#meter = meter;
    signal?.addEventListener("abort", this.#stop);
    if (target.controlUrl !== undefined) {
      this.#control = new ControlClient(
        this.#transport,
        target.controlUrl,
        signal === undefined ? {} : { signal },
      );
    }
  }

  offers(capability: Capability): boolean {
    return this.target.capabilities.includes(capability);
  }

  /** How many requests went to endpoints so far. */
  get sent(): number {
    return this.#endpoints.reduce((sum, { sent }) => sum + sent, 0);
  }

  /** A fresh endpoint where the target makes them, else the one there is: always the same. */
  async endpoint(options: EndpointOptions = {}): Promise<LoadEndpoint> {
    const [only] = this.#endpoints;
    if (only !== undefined && !this.makesEndpoints) return only;
    const { baseUrl } = this.target;
    const access = await this.#access(options);
    const isFresh = this.makesEndpoints;
    const control = this.#control;
    const watch = { meter: this.#meter, signal: this.signal };
    const endpoint = new LoadEndpoint({
      ...access,
      ...watch,
      rules: this.rules,
      baseUrl,
      control,
      isVirtual: this.virtual,
      isFresh,
    });
    this.#endpoints.push(endpoint);
    return endpoint;
  }

  /** Leaves the endpoint that all checks share without jobs of theirs. */
  async tidy(): Promise<void> {
    if (this.makesEndpoints) return;
    for (const endpoint of this.#endpoints) {
      this.cleared = clearedTogether([this.cleared, await endpoint.clear()]);
    }
  }

  async close(): Promise<void> {
    this.signal?.removeEventListener("abort", this.#stop);
    for (const endpoint of this.#endpoints) {
      endpoint.close();
      const { endpointId } = endpoint.access;
      if (this.makesEndpoints) {
        await this.#control?.deleteEndpoint(endpointId).catch(() => undefined);
      }
    }
    await this.#transport.close();
  }

  /** Whether time stands still on the endpoints until it is advanced. */
  get virtual(): boolean {
    return this.makesEndpoints && this.offers("clock");
  }

  /** Whether each endpoint is a new one. */
  get makesEndpoints(): boolean {
    return situationOf(this.target).makesEndpoints;
  }

  async #access(options: EndpointOptions): Promise<{ endpointId: string; apiKey: string }> {
    if (this.#control !== undefined && this.makesEndpoints) {
      const clock = this.offers("clock") ? "virtual" : "real";
      return this.#control.createEndpoint({ clock, ...options });
    }
    const { endpointId, apiKey } = this.target;
    if (endpointId === undefined || apiKey === undefined) {
      throw new Unsupported(
        "the target makes no fresh endpoints, and no endpoint and key were given",
      );
    }
    return { endpointId, apiKey };
  }
}

/** What such a target lets a session do. */
export function situationOf({ controlUrl, capabilities }: LoadTarget): Situation {
  return {
    makesEndpoints: controlUrl !== undefined && capabilities.includes("endpoints"),
    offers: (capability) => capabilities.includes(capability),
  };
}

/** Uses up an operation of the endpoint that all checks share, while nobody tries it beside. */
export async function reserving(
  session: LoadSession,
  operation: OperationName,
  act: () => Promise<void>,
): Promise<void> {
  if (session.makesEndpoints) return act();
  const { usage } = await session.endpoint();
  usage.reserved.add(operation);
  try {
    await act();
  } finally {
    usage.reserved.delete(operation);
  }
}

/** Does something once for each session and key, and hands what came of it to everybody who asks. */
export function oncePer<Key, T>(
  act: (session: LoadSession, key: Key) => Promise<T>,
): (session: LoadSession, key: Key) => Promise<T> {
  const recorded = new WeakMap<LoadSession, Map<Key, Promise<T>>>();
  return (session, key) => {
    const ofStand = recorded.get(session) ?? new Map<Key, Promise<T>>();
    recorded.set(session, ofStand);
    const promise = ofStand.get(key) ?? act(session, key);
    ofStand.set(key, promise);
    return promise;
  };
}

/** Whether the target offers an operation at all; two of them are optional. */
export function isOffered(
  session: Pick<Situation, "offers">,
  { operation }: Pick<Tier, "operation">,
): boolean {
  return (operation !== "openai" && operation !== "requests") || session.offers(operation);
}
