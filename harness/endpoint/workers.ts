import type { ControlClient } from "../../client/control-client.ts";
import type { EndpointHandle } from "./clock-modes.ts";
import type { EndpointLease } from "./endpoint-lease.ts";
import type { Occupy } from "./stall-group.ts";
import { readBody } from "../read.ts";
import { stateOf } from "../record.ts";
import { Inconclusive, Unsupported } from "../outcome.ts";

/** The workers of one endpoint, as far as a check can control them. */
export interface EndpointWorkers {
  /** Whether a stall disturbs no other check, so that any check may stall the workers. */
  readonly own: boolean;
  /** Sets their number until the check ends; only where the target offers `workers`. */
  set: (count: number) => Promise<void>;
  /**
   * Runs a task while no worker is free, so that what it submits waits in the queue. Then frees the workers, also where
   * the task throws. A task that has to act at that very moment calls `end` itself.
   */
  whileStalled: <T>(task: StalledTask<T>) => Promise<T>;
}

type StalledTask<T> = (end: () => Promise<void>) => Promise<T>;

interface Stall {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Runs a task within a stall. Ends the stall also where something throws, and throws the first error. */
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

/** The part of a lease that coordinates a stall of a shared endpoint with the other checks. */
type StallLease = Pick<
  EndpointLease,
  "workersKeptBy" | "isExclusive" | "isStalled" | "unfinished" | "joinStall" | "downgradeToShort"
>;

/** Stalls alone where the check holds the endpoint alone, and else together with others that wait for a stall. */
async function stalledOn<T>(lease: StallLease, occupy: Occupy, task: StalledTask<T>): Promise<T> {
  const stall = await lease.joinStall();
  const begin = async (): Promise<void> => {
    await stall.begin(occupy);
    lease.isStalled = true;
  };
  const end = async (): Promise<void> => {
    lease.isStalled = false;
    await stall.end(lease);
  };
  try {
    return await stalled({ begin, end }, task);
  } finally {
    await lease.downgradeToShort();
  }
}

/** Workers set through the control protocol: a stall is an endpoint with none. */
export class ControlledWorkers implements EndpointWorkers {
  readonly #control: ControlClient;
  readonly #endpointId: string;
  readonly #usual: number;
  /** Absent where the endpoint is the check's alone. */
  readonly #lease: StallLease | undefined;
  #count: number;

  constructor(
    control: ControlClient,
    endpointId: string,
    { usual, lease }: { readonly usual: number; readonly lease?: StallLease },
  ) {
    this.#control = control;
    this.#endpointId = endpointId;
    this.#usual = usual;
    this.#lease = lease;
    this.#count = usual;
  }

  get own(): boolean {
    return this.#lease?.isExclusive ?? true;
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
    const end = async (): Promise<void> => this.set(this.#usual);
    if (this.#lease === undefined) return stalled({ begin: async () => this.set(0), end }, task);
    const occupy = async (): Promise<() => Promise<void>> => {
      await this.set(0);
      return end;
    };
    return stalledOn(this.#lease, occupy, task);
  }
}

/** Longer than any check stalls; a slow job that is forgotten ends by itself. */
const stallMs = 120_000;
/** Somebody else's job may still occupy a worker: when it ends, that worker has to be kept busy too. */
const stallLooksMax = 150;
const stallLookEveryMs = 200;

/** Workers that can only be kept busy: a stall is as many slow jobs as there are free workers. */
export class OccupiedWorkers implements EndpointWorkers {
  readonly #handle: EndpointHandle;
  readonly #lease: StallLease;
  readonly #sleepers: string[] = [];

  constructor(handle: EndpointHandle, lease: StallLease) {
    this.#handle = handle;
    this.#lease = lease;
  }

  get own(): boolean {
    return this.#lease.isExclusive;
  }

  async set(count: number): Promise<void> {
    await Promise.reject(new Inconclusive(`the target offers no way to set ${count} workers`));
  }

  async whileStalled<T>(task: StalledTask<T>): Promise<T> {
    const { workersKeptBy } = this.#lease;
    if (workersKeptBy !== undefined) {
      throw new Unsupported(
        "the workers cannot be kept busy: cancel does not free them",
        workersKeptBy,
      );
    }
    return stalledOn(this.#lease, async (unfinished) => this.#occupy(unfinished), task);
  }

  /** @param unfinished how many jobs are known that keep a worker busy, or may */
  async #occupy(unfinished: () => number): Promise<() => Promise<void>> {
    const free = async (): Promise<void> => this.#freeAll();
    try {
      await this.#occupyAll(unfinished);
    } catch (error) {
      await free().catch(() => undefined);
      throw error;
    }
    return free;
  }

  async #occupyAll(unfinished: () => number): Promise<void> {
    for (let looks = 0; looks < stallLooksMax; looks += 1) {
      const { idle, running } = await this.#workers();
      if (idle > 0) {
        if (!(await this.#occupyOne(idle))) return;
      } else if (running > unfinished()) await this.#handle.time.pass(stallLookEveryMs);
      else return;
    }
    throw new Inconclusive("the workers could not all be kept busy by slow jobs");
  }

  async #freeAll(): Promise<void> {
    const sleepers = this.#sleepers.splice(0);
    await Promise.all(sleepers.map(async (id) => this.#handle.api.cancel(id)));
  }

  /**
   * @param idleBefore how many workers health showed as idle before
   * @returns whether a worker took the job; it waits where all are busy, although health counts fewer at work
   */
  async #occupyOne(idleBefore: number): Promise<boolean> {
    const { api, time, jobs } = this.#handle;
    const submitted = readBody(await api.run({ input: jobs.slow(stallMs) }), "RunAnswer");
    if (!submitted.ok)
      throw new Inconclusive(`could not submit a slow job to occupy a worker: ${submitted.got}`);
    const { id } = submitted.body;
    this.#sleepers.push(id);
    const { state, isTaken } = await time.until(
      async () => {
        const shown = stateOf(await api.status(id));
        if (shown === "IN_PROGRESS") return { state: shown, isTaken: true };
        // Some servers never show a job as IN_PROGRESS: what is read after health shows whether this is one.
        const isAtWork = (await this.#workers()).idle < idleBefore;
        return { state: isAtWork ? stateOf(await api.status(id)) : shown, isTaken: isAtWork };
      },
      (seen) => seen.isTaken,
    );
    // If a free worker takes no job, further jobs would only wait, too, and have to be paid for.
    if (isTaken) return true;
    const atWork = this.#sleepers.length - 1;
    if (state === "IN_QUEUE" && (await this.#workers()).running < atWork) {
      this.#sleepers.pop();
      await api.cancel(id);
      return false;
    }
    throw new Inconclusive(
      `health shows a worker as idle, and a slow job meant for it is ${state}`,
    );
  }

  async #workers(): Promise<{ idle: number; running: number }> {
    const health = readBody(await this.#handle.api.health(), "HealthAnswer");
    if (!health.ok)
      throw new Inconclusive(`could not read from health whether a worker is free: ${health.got}`);
    return health.body.workers;
  }
}
