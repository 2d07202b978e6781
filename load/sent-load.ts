import { isSubmission, isOperationName, operations } from "../openapi/operations.ts";
import type { OperationName } from "../openapi/operations.ts";

/** How much something would send. */
export interface Needed {
  readonly requests: number;
  readonly jobs: number;
}

/** Counts by operation; an absent operation counts 0. */
export type ByOperation = Readonly<Partial<Record<OperationName, number>>>;

/** What was sent, or would be: requests, and the jobs that they make. */
export interface LoadCost {
  readonly requests: ByOperation;
  readonly jobs: ByOperation;
}

export function totalOf(counts: ByOperation): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The totals over all operations. */
export function neededOf({ requests, jobs }: LoadCost): Needed {
  return { requests: totalOf(requests), jobs: totalOf(jobs) };
}

/** The cost of nothing. */
export const noCost: LoadCost = { requests: {}, jobs: {} };

/**
 * The cost of `count` requests of one operation: those of run and runsync make a job each; for those of another, run
 * has to make `jobs` beforehand. Absent: one for each cancel, else none.
 */
export function costOf(
  operation: OperationName,
  count: number,
  jobs = operation === "cancel" ? count : 0,
): LoadCost {
  if (isSubmission(operation)) {
    return { requests: { [operation]: count }, jobs: { [operation]: count } };
  }
  return { requests: { [operation]: count, run: jobs }, jobs: { run: jobs } };
}

/** Several costs as one. */
export function sumOf(costs: readonly LoadCost[]): LoadCost {
  return {
    requests: added(costs.map(({ requests }) => requests)),
    jobs: added(costs.map(({ jobs }) => jobs)),
  };
}

function added(all: readonly ByOperation[]): ByOperation {
  const sums: Partial<Record<OperationName, number>> = {};
  for (const counts of all) {
    for (const [operation, count] of Object.entries(counts)) {
      if (isOperationName(operation) && count > 0) sums[operation] = (sums[operation] ?? 0) + count;
    }
  }
  return sums;
}

interface Count {
  sent: number;
  over: number;
  accepted: number;
}

/** Counts what load sends by operation, from what a meter hears. */
export class SentLoad {
  readonly #counts = new Map<OperationName, Count>();

  sent(request: string): void {
    const count = this.#countOf(request);
    if (count !== undefined) count.sent += 1;
  }

  answered(request: string, status: number): void {
    const count = this.#countOf(request);
    if (count === undefined) return;
    count.over += 1;
    if (status >= 200 && status < 300) count.accepted += 1;
  }

  /** Requests that were sent, and the jobs that were accepted. */
  get cost(): LoadCost {
    const requests: Partial<Record<OperationName, number>> = {};
    const jobs: Partial<Record<OperationName, number>> = {};
    for (const [operation, { sent, accepted }] of this.#counts) {
      requests[operation] = sent;
      if (isSubmission(operation) && accepted > 0) jobs[operation] = accepted;
    }
    return { requests, jobs };
  }

  /** The accepted jobs, and those of unanswered requests, which may still be accepted. */
  get jobsMax(): number {
    return [...this.#counts]
      .filter(([operation]) => isSubmission(operation))
      .reduce((sum, [, { sent, over, accepted }]) => sum + accepted + sent - over, 0);
  }

  #countOf(request: string): Count | undefined {
    const operation = operationIn(request);
    if (operation === undefined) return undefined;
    const count = this.#counts.get(operation) ?? { sent: 0, over: 0, accepted: 0 };
    this.#counts.set(operation, count);
    return count;
  }
}

const inAnyPath = new RegExp(`/(${operations.map(({ name }) => name).join("|")})(?=[/?\\s]|$)`);

/** Reads the operation from a meter's text: from the path, or from the name at the start where k6 sends it. */
export function operationIn(request: string): OperationName | undefined {
  const [, name = ""] =
    /\/v2\/[^/\s]+\/(openai|[a-z-]+)/.exec(request) ??
    /^([a-z-]+?)(?:-below|-at|-above)?,/.exec(request) ??
    // In a dialect paths begin with something else.
    inAnyPath.exec(request) ??
    [];
  return isOperationName(name) ? name : undefined;
}
