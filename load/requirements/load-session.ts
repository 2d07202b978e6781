import { setMaxListeners } from "node:events";

import type { ConfiguredDialect } from "../../harness/dialects/configured-dialect.ts";
import { dialectOf } from "../../harness/discovery/learned-dialect.ts";
import { EndpointSource, makesEndpoints } from "../../harness/endpoint/endpoint-source.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import type { EndpointOptions } from "../../client/control-client.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import { isOptionalOperation } from "../../openapi/operations.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import type { LoadMeter } from "../meter.ts";
import type { Situation } from "./situation.ts";
import { clearedTogether, nothingCleared } from "./clear-jobs.ts";
import type { Cleared } from "./clear-jobs.ts";
import { LoadEndpoint } from "./endpoint.ts";

/** Enough workers that a runsync job finds one free beside all that wait to be cancelled. */
export const manyWorkers = { workers: 1_000 } as const;

/** What the checks of one run share: the target, its endpoints, and what they have sent. */
export class LoadSession {
  readonly target: TargetAccess;
  readonly signal: AbortSignal | undefined;
  readonly startedAtMs = performance.now();
  /** How requests are sent. */
  readonly rules: RequestRules;
  readonly #source: EndpointSource;
  readonly #dialect: ConfiguredDialect;
  readonly #endpoints: LoadEndpoint[] = [];

  /** What was purged and cancelled of the jobs that checks left. */
  cleared: Cleared = nothingCleared;
  readonly #meter: LoadMeter | undefined;
  readonly #stop = (): void => {
    for (const endpoint of this.#endpoints) endpoint.close();
  };

  constructor(target: TargetAccess, signal?: AbortSignal, meter?: LoadMeter) {
    this.target = target;
    this.#dialect = dialectOf(target);
    this.#source = new EndpointSource(target, signal);
    this.rules = this.#source.rules;
    this.signal = signal;
    this.#meter = meter;
    if (signal === undefined) return;
    // Every wait of every check listens to it, and on a real clock many wait side by side.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", this.#stop);
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
    const clock = this.virtual ? "virtual" : "real";
    const key = await this.#source.next({ clock, ...options });
    const endpoint = new LoadEndpoint({
      ...key,
      meter: this.#meter,
      signal: this.signal,
      rules: this.rules,
      baseUrl: this.target.baseUrl,
      translation: this.#dialect,
      control: this.#source.control,
      isVirtual: this.virtual,
      isFresh: this.makesEndpoints,
    });
    this.#endpoints.push(endpoint);
    return endpoint;
  }

  /** Removes the jobs that checks left on the endpoint that they all share. */
  async tidy(): Promise<void> {
    if (this.makesEndpoints) return;
    for (const endpoint of this.#endpoints) {
      this.cleared = clearedTogether([this.cleared, await endpoint.clear()]);
    }
  }

  async close(): Promise<void> {
    this.signal?.removeEventListener("abort", this.#stop);
    for (const endpoint of this.#endpoints) endpoint.close();
    await this.#source.close();
  }

  /** Whether time stands still on the endpoints until it is advanced. */
  get virtual(): boolean {
    return this.makesEndpoints && this.offers("clock");
  }

  /** Whether each endpoint is a new one. */
  get makesEndpoints(): boolean {
    return makesEndpoints(this.target);
  }
}

/** What a target lets a session do. */
export function situationOf(target: TargetAccess): Situation {
  return {
    makesEndpoints: makesEndpoints(target),
    offers: (capability) => target.capabilities.includes(capability),
  };
}

/** Runs `act` while no other check tries the operation on the endpoint that all checks share. */
export async function withOperationReserved(
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

/** Calls `act` once for each session and key, and gives its result to every caller. */
export function memoizedPerSession<Key, T>(
  act: (session: LoadSession, key: Key) => Promise<T>,
): (session: LoadSession, key: Key) => Promise<T> {
  const recorded = new WeakMap<LoadSession, Map<Key, Promise<T>>>();
  return (session, key) => {
    const ofSession = recorded.get(session) ?? new Map<Key, Promise<T>>();
    recorded.set(session, ofSession);
    const promise = ofSession.get(key) ?? act(session, key);
    ofSession.set(key, promise);
    return promise;
  };
}

/** Whether the target offers an operation at all; two of them are optional. */
export function isOffered(
  session: Pick<Situation, "offers">,
  { operation }: Pick<Tier, "operation">,
): boolean {
  return !isOptionalOperation(operation) || session.offers(operation);
}
