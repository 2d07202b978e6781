import type { OperationName } from "../openapi/operations.ts";
import type { Behaviour } from "./behaviour.ts";
import type { EndOfRequest, InFlightCount, LimitRefusal, RequestForm } from "./behaviour/limits.ts";
import type { Limiter } from "./limiters.ts";

/** The slot of a request among those in flight. Its first end counts; freeing it again does nothing. */
export interface InFlightSlot {
  /** Tells that the operation has been carried out, and the answer is about to be written. */
  handled(status: number): void;
  free(how: EndOfRequest): void;
}

interface Gate {
  limiter: Limiter;
  readonly inFlight: InFlightCount;
}

/** Limits of an endpoint's own, in place of the specified ones (docs/specification.md#rate-limits). */
export type OwnLimits = Readonly<
  Partial<Record<OperationName, { readonly requests?: number; readonly concurrent?: number }>>
>;

export interface LimitsOptions {
  readonly behaviour: Behaviour;
  readonly endpointId: string;
  /** The time of the endpoint. */
  readonly nowMs: () => number;
  readonly allowancePerWorker: number;
  readonly own?: OwnLimits | undefined;
}

export interface LimitDemand {
  readonly operation: OperationName;
  readonly form: RequestForm;
  readonly runningWorkers: number;
}

/** The rate limits and the concurrency caps of one endpoint. */
export class Limits {
  readonly #options: LimitsOptions;
  readonly #gates = new Map<string, Gate>();

  constructor(options: LimitsOptions) {
    this.#options = options;
  }

  /**
   * Lets a request in, or tells why it is refused: 429. A request refused for the cap uses nothing up of its window.
   */
  enter(demand: LimitDemand): InFlightSlot | LimitRefusal {
    const { operation, form } = demand;
    const { behaviour, own } = this.#options;
    const { limits } = behaviour;
    const gate = this.#gate(operation, limits.countedAs(operation, form));
    const most = own?.[operation]?.concurrent ?? limits.inFlightMax(operation);
    const isFull = gate.inFlight.count >= most;
    const isWithin = (!isFull || limits.countsCapRefusals) && this.#takesFromWindow(gate, demand);
    if (isWithin && !isFull) return this.#place(operation, gate);
    const why = isFull ? "cap" : "window";
    const change = limits.refusalCounts(operation, why);
    if (change !== 0) gate.inFlight.count += change;
    return why;
  }

  #takesFromWindow({ limiter }: Gate, { operation, runningWorkers }: LimitDemand): boolean {
    const { behaviour, own, allowancePerWorker, nowMs } = this.#options;
    const { limits } = behaviour;
    const base = own?.[operation]?.requests ?? limits.requestsPerWindow(operation);
    if (!Number.isFinite(base) || !limits.isCounted(operation)) return true;
    return limiter.take(nowMs(), limits.effective(base, runningWorkers, allowancePerWorker));
  }

  #place(operation: OperationName, gate: Gate): InFlightSlot {
    const { limits } = this.#options.behaviour;
    const { inFlight } = gate;
    let isCounted = limits.countsAtOnce(operation);
    let isOver = false;
    let answered: number | undefined;
    if (isCounted) inFlight.count += 1;
    return {
      handled: (status) => {
        if (!isCounted && !isOver) inFlight.count += 1;
        isCounted = true;
        answered = status;
        if (limits.forgetsAfter(operation, status)) gate.limiter = this.#limiterOf(operation);
      },
      free: (how) => {
        if (isOver) return;
        isOver = true;
        if (isCounted && limits.freesPlace(operation, how, answered)) inFlight.count -= 1;
      },
    };
  }

  #gate(operation: OperationName, name: string): Gate {
    const known = this.#gates.get(name);
    if (known !== undefined) return known;

    const { behaviour, endpointId, nowMs } = this.#options;
    const inFlight = behaviour.limits.inFlightOf({ operation, endpointId, nowMs });
    const gate = { limiter: this.#limiterOf(operation), inFlight };
    this.#gates.set(name, gate);
    return gate;
  }

  #limiterOf(operation: OperationName): Limiter {
    const { behaviour, endpointId, nowMs } = this.#options;
    return behaviour.limits.limiterOf({ operation, endpointId, nowMs });
  }
}
