import {
  requireState,
  submitJob,
  waitForEnd,
  waitUntilInProgress,
} from "../harness/jobs/fixtures.ts";
import { isSuccess } from "../harness/read.ts";
import { Inconclusive } from "../harness/outcome.ts";
import type { CheckContext } from "../harness/check-context.ts";
import type { FinishedJob, SubmittedJob } from "../harness/jobs/fixtures.ts";
import type { JobInput, Jobs } from "../harness/inputs/jobs.ts";
import type { JobKind } from "../openapi/capabilities.ts";
import { statusBefore, waitUntilOverAfter } from "../harness/jobs/job-state.ts";
import { stateOf } from "../harness/record.ts";
import type { StartedJob } from "../harness/jobs/submit.ts";

/** A job that is to end in a certain state, and what has to be done for it. */
export interface Ending {
  readonly state: "COMPLETED" | "FAILED" | "TIMED_OUT" | "CANCELLED";
  readonly kind: JobKind;
  /** How long the job works before it ends; absent: it ends soon. */
  readonly workMs?: number;
  readonly input: (jobs: Jobs) => JobInput;
  readonly policy?: Readonly<Record<string, number>>;
  readonly bringAbout?: (context: CheckContext, job: SubmittedJob) => Promise<void>;
}

const executionTimeout = 5000;
/** Longer than the executionTimeout, and shorter than the shortest ttl. */
const slowMs = 8000;

export const completion: Ending = {
  state: "COMPLETED",
  kind: "quick",
  input: (jobs) => jobs.quick("done"),
};

/** One ending for each final state. */
export const endings: readonly Ending[] = [
  completion,
  { state: "FAILED", kind: "failing", input: (jobs) => jobs.failing("asked to fail") },
  {
    state: "TIMED_OUT",
    kind: "slow",
    workMs: executionTimeout,
    input: (jobs) => jobs.slow(slowMs),
    policy: { executionTimeout },
  },
  {
    state: "CANCELLED",
    kind: "slow",
    input: (jobs) => jobs.slow(slowMs),
    bringAbout: async (context, job) => {
      await waitUntilInProgress(context, job);
      const { answer } = await context.api.cancel(job.id);
      if (answer === undefined || !isSuccess(answer))
        throw new Inconclusive("cancel did not succeed", ["CANC-02"]);
    },
  },
];

/** The state as it stands in the name of a check. */
export function nameOfEnding({ state }: Ending): string {
  return state.toLowerCase().replace("_", "-");
}

/**
 * Submits the job of an ending, with further options, and makes it end.
 * @throws Inconclusive where it does not end so
 */
export async function reachEnding(
  context: CheckContext,
  { state, workMs = 0, input, policy, bringAbout }: Ending,
  extra: { readonly ttl?: number; readonly webhook?: string } = {},
): Promise<FinishedJob> {
  const { ttl, ...options } = extra;
  const limits = { ...policy, ...(ttl !== undefined && { ttl }) };
  const job = await submitJob(context, input(context.jobs), { ...options, policy: limits });
  await bringAbout?.(context, job);
  return requireState(await waitForEnd(context, job, workMs + 1), state);
}

type TimedJob = Pick<StartedJob, "id" | "startedAt">;

/** Records a difference unless a job is in progress just before its time is up, and TIMED_OUT just after. */
export async function expectTimeout(
  context: CheckContext,
  job: TimedJob,
  timeoutMs: number,
  at: string,
): Promise<void> {
  await expectAtWork(context, job, timeoutMs, at);
  await expectTimedOut(context, job, timeoutMs, at);
}

/** Records a difference unless a job is in progress just before its time is up. */
export async function expectAtWork(
  context: CheckContext,
  { id, startedAt }: TimedJob,
  ms: number,
  at: string,
): Promise<void> {
  const exchange = await statusBefore(context, id, startedAt, ms);
  context.expect.equal(stateOf(exchange), "IN_PROGRESS", `status before ${at}`);
}

/** Records a difference unless a job is TIMED_OUT just after its time is up. */
export async function expectTimedOut(
  context: CheckContext,
  { id, startedAt }: TimedJob,
  ms: number,
  at: string,
): Promise<void> {
  const exchange = await waitUntilOverAfter(context, id, { since: startedAt, ageMs: ms });
  context.expect.equal(stateOf(exchange), "TIMED_OUT", `status after ${at}`);
}
