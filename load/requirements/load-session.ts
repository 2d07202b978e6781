import { Unsupported } from "../../harness/outcome.ts";
import { ControlClient, Transport } from "../../client/index.ts";
import type { EndpointOptions } from "../../client/index.ts";
import type { Capability, Tier } from "../../openapi/index.ts";
import type { LoadMeter } from "../meter.ts";
import { LoadEndpoint } from "./endpoint.ts";

/** The target, as far as load needs it. */
export interface LoadTarget {
  /** Without `/v2` and without a slash at the end. */
  readonly baseUrl: string;
  readonly endpointId?: string;
  readonly apiKey?: string;
  readonly controlUrl?: string;
  readonly capabilities: readonly Capability[];
}

/** What the checks of one run share: the target, its endpoints, and what they have sent. */
export class LoadSession {
  readonly target: LoadTarget;
  readonly signal: AbortSignal | undefined;
  readonly startedAtMs = performance.now();
  readonly #transport = new Transport(8);
  readonly #control: ControlClient | undefined;
  readonly #endpoints: LoadEndpoint[] = [];

  readonly #meter: LoadMeter | undefined;
  readonly #stop = (): void => {
    for (const endpoint of this.#endpoints) endpoint.close();
  };

  constructor(target: LoadTarget, signal?: AbortSignal, meter?: LoadMeter) {
    this.target = target;
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
    if (!this.makesEndpoints) for (const endpoint of this.#endpoints) await endpoint.clear();
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
    return this.#control !== undefined && this.offers("endpoints");
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
export function isOffered(session: LoadSession, { operation }: Pick<Tier, "operation">): boolean {
  return (operation !== "openai" && operation !== "requests") || session.offers(operation);
}
