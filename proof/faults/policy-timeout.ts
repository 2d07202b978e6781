import type { Fault } from "../../reference/faults.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { at, is } from "./builders/conditions.ts";
import { onEvent, refuseEvent } from "./builders/events.ts";
import { hasWaited, isRunsync, hasStreamed } from "./builders/jobs.ts";
import { afterWait } from "./builders/marks.ts";
import { type Change, except, instead, replace, result } from "./builders/member.ts";

const DEFAULT_MS = 600_000;
const DAY_MS = 86_400_000;

/** Bugs in how long a job may be processed. */
export const policyTimeoutFaults: readonly Fault[] = [
  fault("policy/execution-timeout-ends-no-runsync-job", ["POLI-04"], {
    describe: "A runsync job runs on past its executionTimeout.",
    change: instead("lifecycle.executionTimeoutMs", 10 * 365 * DAY_MS, isRunsync),
  }),
  fault("policy/timed-out-job-is-failed", ["POLI-04"], {
    describe: "A job that runs past its executionTimeout becomes FAILED.",
    change: onEvent("execution-timed-out", "FAILED"),
  }),
  fault("policy/timed-out-job-completes-later", ["POLI-04"], {
    describe:
      "The handler of a job that timed out runs on, and its result makes the job COMPLETED.",
    change: all(
      except("lifecycle.stopsHandler", at("execution-timed-out")),
      onEvent("handler-returned", "COMPLETED", is("TIMED_OUT")),
    ),
  }),
  fault("policy/execution-timeout-a-little-early", ["POLI-04"], {
    describe: "A job is terminated 2 ms before its executionTimeout is over.",
    change: result("lifecycle.executionTimeoutMs", (ms) => ms - 2),
  }),
  fault("policy/default-execution-timeout-a-little-late", ["POLI-05"], {
    describe: "With no executionTimeout a job is terminated 2 ms late.",
    change: withDefaultTimeout(DEFAULT_MS + 2),
  }),
  fault("policy/default-execution-timeout-a-little-early", ["POLI-05"], {
    describe: "With no executionTimeout a job is terminated 2 ms early.",
    change: withDefaultTimeout(DEFAULT_MS - 2),
  }),
  fault("policy/ttl-takes-the-default-execution-timeout-away", ["POLI-05"], {
    describe: "A policy with a ttl but no executionTimeout has no default of 10 minutes.",
    change: result("lifecycle.executionTimeoutMs", (ms, { submission: { policy } }) =>
      policy.executionTimeout === undefined ? (policy.ttl ?? ms) : ms,
    ),
  }),
  fault("policy/execution-timeout-becomes-the-default", ["POLI-06"], {
    describe: "A job's executionTimeout also counts for later jobs of its endpoint that have none.",
    change: remembering(new Map<string, number>(), (lastMsOf) =>
      result("lifecycle.executionTimeoutMs", (ms, job, _default, endpointId) => {
        const { executionTimeout } = job.submission.policy;
        if (executionTimeout !== undefined) lastMsOf.set(endpointId, executionTimeout);
        return lastMsOf.get(endpointId) ?? ms;
      }),
    ),
  }),
  fault("policy/execution-timeout-capped-by-the-default", ["POLI-06"], {
    describe: "An executionTimeout above the endpoint's default is cut to it.",
    change: result("lifecycle.executionTimeoutMs", (ms, _job, endpointDefaultMs = DEFAULT_MS) =>
      Math.min(ms, endpointDefaultMs),
    ),
  }),
  fault("policy/execution-timeout-capped-at-a-day", ["POLI-06"], {
    describe: "An executionTimeout above a day is cut to a day.",
    change: result("lifecycle.executionTimeoutMs", (ms) => Math.min(ms, DAY_MS)),
  }),
  fault("policy/endpoint-default-beats-the-job", ["POLI-06"], {
    describe: "The endpoint's own default counts also for a job with an executionTimeout.",
    change: result(
      "lifecycle.executionTimeoutMs",
      (ms, _job, endpointDefaultMs) => endpointDefaultMs ?? ms,
    ),
  }),
  fault("policy/execution-timeout-counts-the-queue", ["POLI-07"], {
    describe: "executionTimeout counts from the submission.",
    change: () => ({ lifecycle: { executionTimeoutStartsAtMs: (job) => job.queuedAtMs } }),
  }),
  fault("policy/execution-timeout-of-runsync-counts-the-queue", ["POLI-07"], {
    describe: "executionTimeout of a runsync job counts from the submission.",
    change: result("lifecycle.executionTimeoutStartsAtMs", (atMs, job) =>
      isRunsync(job) ? job.queuedAtMs : atMs,
    ),
  }),
  fault("policy/time-out-after-the-queue-keeps-the-worker", ["POLI-04"], {
    describe: "A job that waited in the queue and timed out keeps its worker for ever.",
    change: except("lifecycle.freesWorker", at("execution-timed-out", hasWaited)),
  }),
  fault("policy/streaming-job-never-times-out", ["POLI-04"], {
    describe: "A job that has yielded a chunk outlives its executionTimeout.",
    change: refuseEvent("execution-timed-out", hasStreamed),
  }),
  fault("policy/short-queue-uses-up-the-timeout", ["POLI-07"], {
    describe: "A wait of less than executionTimeout is taken off it, a longer one is not.",
    change: result("lifecycle.executionTimeoutStartsAtMs", (atMs, { queuedAtMs, submission }) =>
      atMs - queuedAtMs < (submission.policy.executionTimeout ?? 0) ? queuedAtMs : atMs,
    ),
  }),
  fault("policy/webhook-halves-the-default-execution-timeout", ["POLI-05"], {
    describe: "With a webhook and no executionTimeout a job is terminated after 300000 ms.",
    change: result("lifecycle.executionTimeoutMs", (ms, { submission: { webhook, policy } }) =>
      webhook !== undefined && policy.executionTimeout === undefined ? DEFAULT_MS / 2 : ms,
    ),
  }),
  fault("policy/end-of-wait-takes-the-execution-timeout-away", ["POLI-04"], {
    describe: "A job still queued when the wait of its runsync is over has the default timeout.",
    change: afterWait(is("IN_QUEUE"), (isLeft) =>
      result("lifecycle.executionTimeoutMs", (ms, job, endpointDefaultMs = DEFAULT_MS) =>
        isLeft(job) ? endpointDefaultMs : ms,
      ),
    ),
  }),
];

/** Changes the timeout of jobs for which neither they nor their endpoint set an executionTimeout. */
function withDefaultTimeout(defaultMs: number): Change {
  return replace(
    "lifecycle.executionTimeoutMs",
    (job, endpointDefaultMs) =>
      job.submission.policy.executionTimeout ?? endpointDefaultMs ?? defaultMs,
  );
}
