import { isSubmission, windowMs } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import { isAccepted } from "./tally.ts";

/** How many windows any limiter looks back at most, and one that is known to forget early. */
const windowsBack = { most: 2, least: 1 } as const;

/** Records what was sent of each operation of an endpoint, and what its limiter may still count of it. */
export class OperationUsage {
  /** The operations whose limit a check is about to use up: nobody else sends them. */
  readonly reserved = new Set<OperationName>();
  /** How many jobs were accepted. */
  acceptedJobs = 0;
  /** How many submissions were sent whose answers have not been noted: each may have made a job, or make one yet. */
  submissionsUnderWay = 0;
  readonly #isFresh: boolean;
  readonly #nowMs: () => number;
  readonly #lastMs = new Map<OperationName, number>();
  readonly #recent = new Map<OperationName, { readonly atMs: number; readonly count: number }[]>();
  readonly #followers = new Map<OperationName, (exchanges: readonly ProbeExchange[]) => void>();
  readonly #forgetful = new Set<OperationName>();

  /** @param isFresh whether nobody has sent anything before; else what others sent counts as sent at the start. */
  constructor(isFresh: boolean, nowMs: () => number) {
    this.#isFresh = isFresh;
    this.#nowMs = nowMs;
  }

  /** Has to be called before requests of an operation are sent. */
  sending(operation: OperationName, count: number): void {
    if (isSubmission(operation)) this.submissionsUnderWay += count;
  }

  /** Records requests of an operation, with what became of them where that matters. */
  note(operation: OperationName, exchanges: readonly ProbeExchange[] = []): void {
    const atMs = this.#nowMs();
    this.#lastMs.set(operation, atMs);
    if (isSubmission(operation)) {
      this.submissionsUnderWay -= exchanges.length;
      this.acceptedJobs += exchanges.filter(isAccepted).length;
    }
    this.#followers.get(operation)?.(exchanges);
    if (this.#isFresh) return;
    const known = this.#recent.get(operation) ?? [];
    this.#recent.set(operation, [...known, { atMs, count: exchanges.length }]);
  }

  /** When the whole limit of an operation is free again, at the latest. */
  restedAtMs(operation: OperationName): number {
    const unused = this.#isFresh ? Number.NEGATIVE_INFINITY : 0;
    const back = this.#forgetful.has(operation) ? windowsBack.least : windowsBack.most;
    return (this.#lastMs.get(operation) ?? unused) + back * windowMs;
  }

  /** Lets an operation rest for one window alone from now on: its limiter looks back no further. */
  forgets(operation: OperationName): void {
    this.#forgetful.add(operation);
  }

  /** How many requests of an operation a window of any kind may still count. */
  recent(operation: OperationName): number {
    const fromMs = this.#nowMs() - windowsBack.most * windowMs;
    const known = (this.#recent.get(operation) ?? []).filter(({ atMs }) => atMs >= fromMs);
    this.#recent.set(operation, known);
    return known.reduce((sum, { count }) => sum + count, 0);
  }

  /** Calls `heard` with all later exchanges of an operation, whoever sends them; without `heard`, stops that. */
  follow(operation: OperationName, heard?: (exchanges: readonly ProbeExchange[]) => void): void {
    if (heard === undefined) this.#followers.delete(operation);
    else this.#followers.set(operation, heard);
  }
}
