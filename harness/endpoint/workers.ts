import type { ControlClient, JobClient } from "../../client/index.ts";
import type { EndpointLease } from "./endpoint-lease.ts";
import { readBody } from "../read.ts";
import { Inconclusive } from "../outcome.ts";
import type { EndpointTime } from "./time.ts";

/** The workers of one endpoint, as far as a check can rule over them. */
export interface EndpointWorkers {
  /** Whether a stall is nobody else's business, so that any check may stall them. */
  readonly own: boolean;
  /** Sets their number until the check ends; only where the target offers `workers`. */
  set: (count: number) => Promise<void>;
  /**
   * Runs a task while no worker is free, so that what it submits waits in the queue. Then workers take what waits, also
   * where the task throws. A task that races with that calls `end` itself.
   */
  whileStalled: <T>(task: StalledTask<T>) => Promise<T>;
}

type StalledTask<T> = (end: () => Promise<void>) => Promise<T>;

interface Stall {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Ends the stall also where something throws, and throws what was thrown first. */
async function stalled<T>({ begin, end }: Stall, task: StalledTask<T>): Promise<T> {
  let result: T;
  try {
    await begin();
    result = await task(end);
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
  await end();
  return result;
}

/** Workers set through the control protocol: a stall is an endpoint with none. */
export class ControlledWorkers implements EndpointWorkers {
  readonly own: boolean;
  readonly #control: ControlClient;
  readonly #endpointId: string;
  readonly #usual: number;
  #count: number;

  constructor(
    control: ControlClient,
    endpointId: string,
    { usual, own }: { readonly usual: number; readonly own: boolean },
  ) {
    this.own = own;
    this.#control = control;
    this.#endpointId = endpointId;
    this.#usual = usual;
    this.#count = usual;
  }

  /** Gives the endpoint its usual workers back where a check has left it with others. */
  async restore(control: ControlClient): Promise<void> {
    if (this.#count !== this.#usual) await control.setWorkers(this.#endpointId, this.#usual);
  }

  async set(count: number): Promise<void> {
    this.#count = count;
    await this.#control.setWorkers(this.#endpointId, count);
  }

  async whileStalled<T>(task: StalledTask<T>): Promise<T> {
    const stall = { begin: async () => this.set(0), end: async () => this.set(this.#usual) };
    return stalled(stall, task);
  }
}

/** Longer than any check stalls; a sleeper that is forgotten ends by itself. */
const sleeperMs = 120_000;
/** Somebody else's job may still occupy a worker: when it ends, that worker has to be kept busy too. */
const stallLooksMax = 150;
const stallLookEveryMs = 200;

/** Workers that can only be kept busy: a stall is as many `sleep` jobs as there are free workers. */
export class OccupiedWorkers implements EndpointWorkers {
  readonly #api: JobClient;
  readonly #time: EndpointTime;
  readonly #lease: Pick<EndpointLease, "isExclusive" | "unfinished">;
  readonly #sleepers: string[] = [];

  get own(): boolean {
    return this.#lease.isExclusive;
  }

  /** @param lease has to be exclusive, or others would wait for its sleepers */
  constructor(
    api: JobClient,
    time: EndpointTime,
    lease: Pick<EndpointLease, "isExclusive" | "unfinished">,
  ) {
    this.#api = api;
    this.#time = time;
    this.#lease = lease;
  }

  async set(count: number): Promise<void> {
    await Promise.reject(
      new Inconclusive(`the target offers no way to set ${String(count)} workers`),
    );
  }

  async whileStalled<T>(task: StalledTask<T>): Promise<T> {
    const stall = { begin: async () => this.#occupyAll(), end: async () => this.#freeAll() };
    return stalled(stall, task);
  }

  async #occupyAll(): Promise<void> {
    if (!this.#lease.isExclusive)
      throw new Error("a check that stalls the workers has to be exclusive");
    for (let looks = 0; looks < stallLooksMax; looks += 1) {
      const { idle, running } = await this.#workers();
      if (idle > 0) await this.#occupyOne();
      else if (running > this.#lease.unfinished.length) await this.#time.pass(stallLookEveryMs);
      else return;
    }
    throw new Inconclusive("the workers could not all be kept busy by sleep jobs");
  }

  async #freeAll(): Promise<void> {
    const sleepers = this.#sleepers.splice(0);
    await Promise.all(sleepers.map(async (id) => this.#api.cancel(id)));
  }

  async #occupyOne(): Promise<void> {
    const submitted = readBody(
      await this.#api.run({ input: { op: "sleep", ms: sleeperMs } }),
      "RunAnswer",
    );
    if (!submitted.ok) throw new Inconclusive(`a sleep job to occupy a worker: ${submitted.got}`);
    const { id } = submitted.body;
    this.#sleepers.push(id);
    await this.#time.until(
      async () => this.#api.status(id),
      (exchange) => {
        const record = readBody(exchange, "StatusAnswer");
        return record.ok && record.body.status === "IN_PROGRESS";
      },
    );
  }

  async #workers(): Promise<{ idle: number; running: number }> {
    const health = readBody(await this.#api.health(), "HealthAnswer");
    if (!health.ok)
      throw new Inconclusive(`health, to see whether a worker is free: ${health.got}`);
    return health.body.workers;
  }
}
