import type { OperationName } from "../../openapi/operations.ts";
import { defaultRates } from "../../scenarios/data/mix-k6.ts";
import type { Arrival } from "../open-loop/moments.ts";

/** The operations that a mix sends; a purge would take the other jobs away. */
export const mixOperations = [
  "run",
  "runsync",
  "status",
  "stream",
  "cancel",
  "retry",
  "health",
] as const satisfies readonly OperationName[];
export type MixOperation = (typeof mixOperations)[number];

/** The kinds of jobs that `run` and `runsync` of a mix submit. */
export const mixJobs = ["quick", "slow", "failing", "streaming"] as const;
export type MixJob = (typeof mixJobs)[number];

/** Which operations are sent how often, with which jobs. */
export interface Mix {
  readonly arrival: Arrival;
  /** Requests of each operation in a second. */
  readonly operations: Readonly<Partial<Record<MixOperation, number>>>;
  /** In which proportion the kinds of jobs are submitted. */
  readonly jobs: Readonly<Partial<Record<MixJob, number>>>;
}

/** What is sent where no mix was given. */
export const defaultMix: Mix = {
  arrival: "even",
  operations: defaultRates,
  jobs: { quick: 1 },
};

/** A mix at another size. */
export function scaledMix(mix: Mix, scale: number): Mix {
  const operations = Object.fromEntries(
    Object.entries(mix.operations).map(([name, perSecond]) => [name, perSecond * scale]),
  );
  return { ...mix, operations };
}

/** How many requests a mix sends in a time: a cancel needs a job of its own. */
export function requestsOf({ operations }: Mix, durationMs: number): number {
  const perSecond = Object.values(operations).reduce((sum, each) => sum + each, 0);
  return Math.ceil(((perSecond + (operations.cancel ?? 0)) * durationMs) / 1_000);
}

/** How many jobs a mix makes in a time. */
export function jobsOf({ operations }: Mix, durationMs: number): number {
  const { run = 0, runsync = 0, cancel = 0 } = operations;
  return Math.ceil(((run + runsync + cancel) * durationMs) / 1_000);
}
