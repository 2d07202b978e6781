import type { OperationName } from "../openapi/index.ts";
import type { Behaviour } from "./behaviour.ts";
import type { InFlight } from "./behaviour/limits.ts";
import type { Limiter } from "./limiters.ts";

/** A request's place among those in flight. Freeing it twice does nothing. */
export interface Place {
  free(how: "answered" | "broken-off"): void;
}

interface Gate {
  readonly limiter: Limiter;
  readonly inFlight: InFlight;
}

export interface Demand {
  readonly operation: OperationName;
  readonly nowMs: number;
  readonly runningWorkers: number;
}

/** The rate limits and the concurrency caps of one endpoint (SPEC.md "Rate limits"). */
export class Limits {
  readonly #behaviour: Behaviour;
  readonly #endpointId: string;
  readonly #allowancePerWorker: number;
  readonly #gates = new Map<OperationName, Gate>();

  constructor(behaviour: Behaviour, endpointId: string, allowancePerWorker: number) {
    this.#behaviour = behaviour;
    this.#endpointId = endpointId;
    this.#allowancePerWorker = allowancePerWorker;
  }

  /**
   * Lets a request in, or answers undefined: 429. A request refused for the cap uses nothing up of
   * its window.
   */
  enter({ operation, nowMs, runningWorkers }: Demand): Place | undefined {
    const { limits } = this.#behaviour;
    const { limiter, inFlight } = this.#gate(operation);
    if (inFlight.count >= limits.inFlightMax(operation)) return undefined;

    const base = limits.requestsPerWindow(operation);
    if (Number.isFinite(base) && limits.isCounted(operation)) {
      const limit = limits.effective(base, runningWorkers, this.#allowancePerWorker);
      if (!limiter.take(nowMs, limit)) return undefined;
    }

    inFlight.count += 1;
    let isFree = false;
    return {
      free: (how) => {
        if (isFree || !limits.freesPlace(operation, how)) return;
        isFree = true;
        inFlight.count -= 1;
      },
    };
  }

  #gate(operation: OperationName): Gate {
    const known = this.#gates.get(operation);
    if (known !== undefined) return known;

    const scope = { operation, endpointId: this.#endpointId };
    const { limits } = this.#behaviour;
    const gate = { limiter: limits.limiterOf(scope), inFlight: limits.inFlightOf(scope) };
    this.#gates.set(operation, gate);
    return gate;
  }
}
