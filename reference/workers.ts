import type { Fleet } from "./worker-protocol/fleet.ts";

/** How many workers an endpoint has: a fixed number, or as many as its queue asks for within bounds. */
export type WorkerPlan = number | { readonly min: number; readonly max: number };

/** The plan of an endpoint that real workers come to: there is no other limit than their number. */
export const UNLIMITED_WORKERS = Number.MAX_SAFE_INTEGER;

/**
 * The worker count of one endpoint (docs/control-protocol.md). Workers are alike, so numbers
 * are enough; which job runs on which of them makes no difference to anybody.
 */
export class Workers {
  readonly #min: number;
  #total: number;
  #wanted: number;
  #busy = 0;
  #max: number | undefined;

  constructor(plan: WorkerPlan) {
    this.#min = typeof plan === "number" ? plan : plan.min;
    this.#total = this.#min;
    this.#wanted = this.#total;
    this.#max = typeof plan === "number" ? undefined : plan.max;
  }

  /** The plan as it stands: what the endpoint was made with, or what it was set to since. */
  get plan(): WorkerPlan {
    return this.#max === undefined ? this.#wanted : { min: this.#min, max: this.#max };
  }

  get total(): number {
    return this.#total;
  }

  get busy(): number {
    return this.#busy;
  }

  get idle(): number {
    return this.#total - this.#busy;
  }

  /** Whether a waiting job may add a worker. */
  get canGrow(): boolean {
    return this.#max !== undefined && this.#total < this.#max;
  }

  grow(): void {
    this.#total += 1;
    this.#wanted = this.#total;
  }

  take(): void {
    this.#busy += 1;
  }

  /** A job has ended. Its worker goes where a fall of the count still waits for it to be free. */
  release(): void {
    this.#busy -= 1;
    if (this.#total > this.#wanted) this.#total -= 1;
  }

  /** Sets the count and ends the scaling. A fall takes idle workers now and busy ones when their jobs end. */
  setCount(count: number): void {
    this.#max = undefined;
    this.#wanted = count;
    this.#total = count > this.#total ? count : Math.max(count, this.#busy);
  }
}

/** How many workers health shows. */
export function workerCounts(
  workers: Workers,
  fleet: Pick<Fleet, "busy" | "connected"> | undefined,
): { readonly workersBusy: number; readonly workersTotal: number } {
  return fleet !== undefined && workers.plan === UNLIMITED_WORKERS
    ? { workersBusy: fleet.busy, workersTotal: fleet.connected }
    : { workersBusy: workers.busy, workersTotal: workers.total };
}
