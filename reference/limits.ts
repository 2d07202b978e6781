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

/** Limits of an endpoint's own, in place of those of SPEC.md "Rate limits". */
export type OwnLimits = Readonly<
  Partial<Record<OperationName, { readonly requests?: number; readonly concurrent?: number }>>
>;

export interface LimitsOptions {
  readonly behaviour: Behaviour;
  readonly endpointId: string;
  readonly allowancePerWorker: number;
  readonly own?: OwnLimits | undefined;
}

export interface Demand {
  readonly operation: OperationName;
  readonly nowMs: number;
  readonly runningWorkers: number;
}

/** The rate limits and the concurrency caps of one endpoint (SPEC.md "Rate limits"). */
export class Limits {
  readonly #options: LimitsOptions;
  readonly #gates = new Map<OperationName, Gate>();

  constructor(options: LimitsOptions) {
    this.#options = options;
  }

  /**
   * Lets a request in, or answers undefined: 429. A request refused for the cap uses nothing up of
   * its window.
   */
  enter({ operation, nowMs, runningWorkers }: Demand): Place | undefined {
    const { behaviour, own, allowancePerWorker } = this.#options;
    const { limits } = behaviour;
    const { limiter, inFlight } = this.#gate(operation);
    if (inFlight.count >= (own?.[operation]?.concurrent ?? limits.inFlightMax(operation))) {
      return undefined;
    }

    const base = own?.[operation]?.requests ?? limits.requestsPerWindow(operation);
    if (Number.isFinite(base) && limits.isCounted(operation)) {
      const limit = limits.effective(base, runningWorkers, allowancePerWorker);
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

    const { behaviour, endpointId } = this.#options;
    const { limits } = behaviour;
    const scope = { operation, endpointId };
    const gate = { limiter: limits.limiterOf(scope), inFlight: limits.inFlightOf(scope) };
    this.#gates.set(operation, gate);
    return gate;
  }
}
