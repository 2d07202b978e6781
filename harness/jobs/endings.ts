import type { CallOptions } from "../../client/job-client.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import { shortestTimeoutMs } from "../inputs/conformance-jobs.ts";
import { longJobMs } from "../inputs/jobs.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { requireRead, requireState, waitForEnd } from "./fixtures.ts";
import { startJob } from "./submit.ts";
import type { EndpointHandle } from "../endpoint/clock-modes.ts";
import type { FinishedJob, SubmittedJob } from "./fixtures.ts";
import { Inconclusive } from "../outcome.ts";
import { isFinal, readRecord } from "../record.ts";
import type { EndpointWorkers } from "../endpoint/workers.ts";

/** How long a platform may take to notice that a worker died, and that a second one did (LIFE-05), in milliseconds. */
export const crashNoticedMsMax = { virtual: 900_000, real: 85_000 } as const;

/** What a worker of a real target may take to start, beyond the job's own time. */
const realStartMs = 60_000;

/**
 * Waits for the end of a job that works for `ms` on a free worker. It looks once as late as the job surely still works,
 * so that the moment of its end is known as closely as the clock allows.
 */
export async function waitForCompletion(
  handle: EndpointHandle,
  job: SubmittedJob,
  ms: number,
): Promise<FinishedJob> {
  const { api, time } = handle;
  let lastUnfinished = job.submittedAt;
  if (ms > 2 * time.marginMs) {
    const { exchange, at } = await time.before(job.submittedAt, ms, async () => api.status(job.id));
    const read = readRecord(exchange);
    if (read.ok && !isFinal(read.body)) lastUnfinished = at;
  }
  const withinMs = time.choose({ virtual: 2 * time.marginMs, real: realStartMs });
  const watched = await waitForEnd(handle, { id: job.id, submittedAt: lastUnfinished }, withinMs);
  return { ...watched, submittedAt: job.submittedAt };
}

/** Submits jobs that take no time while no worker is free, then frees the workers and waits for the jobs to end. */
export async function runAfterStall(
  handle: EndpointHandle & { readonly workers: EndpointWorkers },
  submit: () => Promise<readonly SubmittedJob[]>,
): Promise<readonly FinishedJob[]> {
  const { api, time, workers } = handle;
  const waiting = await workers.whileStalled(async () => {
    const seen = [];
    for (const job of await submit()) {
      const { exchange, at } = await time.observe(async () => api.status(job.id));
      const record = requireRead(
        readRecord(exchange),
        "could not read the job this check needs: status answered",
      );
      if (isFinal(record))
        throw new Inconclusive(`the job this check needs is ${record.status}, not waiting`);
      seen.push({ job, at });
    }
    return seen;
  });
  const ended: FinishedJob[] = [];
  for (const { job, at } of waiting) {
    const watched = await waitForEnd(handle, { id: job.id, submittedAt: at });
    ended.push({ ...watched, submittedAt: job.submittedAt });
  }
  return ended;
}

/**
 * Submits a job by runsync and returns it as ended: the moment of its end lies between request and answer. Where others
 * keep the workers busy for longer than runsync waits, waits for its end.
 * @throws Inconclusive where it does not end, or cannot be read
 */
export async function runSync(
  handle: EndpointHandle,
  input: unknown,
  options: CallOptions & { readonly wait?: number } = {},
): Promise<FinishedJob> {
  const { api, time } = handle;
  const { exchange, at } = await time.observe(async () => api.runsync({ input }, options));
  const record = requireRead(readRecord(exchange), "could not read the end of a runsync job:");
  const { id } = record;
  if (isFinal(record)) return { id, record, submittedAt: at, finishedAt: at };
  return waitForCompletion(handle, { id, submittedAt: at }, 0);
}

/**
 * Starts a job with the shortest executionTimeout and waits until it has timed out.
 * @throws Inconclusive where it does not end TIMED_OUT
 */
export async function runToTimeout(
  handle: EndpointHandle,
  input: JobInput = handle.jobs.slow(longJobMs),
  by: SubmitOperation = "run",
): Promise<FinishedJob> {
  const extra = { policy: { executionTimeout: shortestTimeoutMs } };
  const job = await startJob(handle, input, { extra, by });
  const withinMs = shortestTimeoutMs + handle.time.marginMs;
  return requireState(await waitForEnd(handle, job, withinMs), "TIMED_OUT");
}
