import type { Fault } from "../../reference/faults.ts";
import type { HandlerEnding } from "../../reference/handler.ts";
import type { Job } from "../../reference/job.ts";
import { fault, remembering } from "./builders/compose.ts";
import { both, is } from "./builders/conditions.ts";
import { runningAgain } from "./builders/events.ts";
import { isRetried, isRunsync, hasWebhook } from "./builders/jobs.ts";
import { result } from "./builders/member.ts";
import { withHomes } from "./builders/numbers.ts";

/** Bugs in how often and when jobs are processed, which no record of a job shows. */
export const stateProcessingFaults: readonly Fault[] = [
  fault("states/runsync-job-is-handed-out-twice", ["LIFE-01"], {
    describe: "Two workers process each runsync job; the first result counts.",
    change: runningAgain("worker-took", [0], isRunsync),
  }),
  fault("states/long-work-is-handed-out-again", ["LIFE-01"], {
    describe: "A job that works for longer than five minutes is handed to a second worker.",
    change: runningAgain(
      "worker-took",
      [300_000],
      (job) => "ms" in job.submission.input && Number(job.submission.input["ms"]) > 300_000,
    ),
  }),
  fault("states/unacknowledged-work-comes-back-after-an-hour", ["LIFE-01"], {
    describe:
      "A completed job is processed again an hour later: it was never taken off the broker.",
    change: runningAgain("handler-returned", [3_600_000]),
  }),
  fault("states/failed-job-is-tried-again-unseen", ["LIFE-01"], {
    describe: "A job whose handler raises is processed once more before it is told to be FAILED.",
    change: runningAgain("handler-raised", [0]),
  }),
  fault("states/failed-webhook-processes-the-job-again", ["LIFE-01"], {
    describe: "A job with a webhook is processed again a minute after it has completed.",
    change: runningAgain("handler-returned", [60_000], hasWebhook),
  }),
  fault("states/crash-hands-waiting-jobs-out-twice", ["LIFE-01"], {
    describe: "After a crash the jobs that waited behind it are processed by two workers.",
    change: withHomes((homeOf) =>
      remembering(new Set<string>(), (crashed) =>
        result("lifecycle.unseenRuns", (delays, job, event) => {
          if (event === "worker-died") crashed.add(homeOf(job));
          const isBehind = crashed.has(homeOf(job)) && job.submission.input["op"] !== "crash";
          return event === "worker-took" && isBehind ? [0] : delays;
        }),
      ),
    ),
  }),
  fault("states/equal-input-is-answered-from-a-cache", ["LIFE-03"], {
    describe: "A job with the input of an earlier one gets its result without being processed.",
    change: remembering(new Map<string, HandlerEnding>(), (known) => [
      result("lifecycle.keptOutput", (output, _given, job) => {
        if (job.status === "COMPLETED") {
          known.set(JSON.stringify(job.submission.input), {
            kind: "returned",
            output: () => output,
          });
        }
        return output;
      }),
      result("lifecycle.endingWithoutWork", (_none, job) =>
        known.get(JSON.stringify(job.submission.input)),
      ),
    ]),
  }),
  fault("retry/handed-out-twice", ["RETR-03"], {
    describe: "A retried job is processed by two workers.",
    change: runningAgain("worker-took", [0], isRetried),
  }),
  fault("cancel/queued-job-is-processed-unseen", ["CANC-01"], {
    describe:
      "A job that is cancelled in the queue is processed all the same, and its result dropped.",
    change: runningAgain("cancel", [1_000], both(is("CANCELLED"), neverTaken)),
  }),
  fault("cancel/retried-job-is-processed-unseen", ["CANC-01"], {
    describe: "A job that is cancelled while it waits for its second attempt is processed unseen.",
    change: runningAgain("cancel", [0], both(isRetried, neverTaken)),
  }),
  fault("purge/purged-jobs-are-processed-unseen", ["PURG-02"], {
    describe: "Purged jobs are still in the broker: workers process them, and nobody sees it.",
    change: runningAgain("purge", [0]),
  }),
  fault("purge/purged-runsync-job-is-processed-a-minute-later", ["PURG-02"], {
    describe: "A purged runsync job is processed a minute later.",
    change: runningAgain("purge", [60_000], isRunsync),
  }),
  fault("policy/expired-job-is-processed-unseen", ["POLI-08"], {
    describe: "A job that has expired in the queue is processed when a worker is free.",
    change: runningAgain("ttl-ran-out", [1_000], neverTaken),
  }),
];

/** Whether no worker took the job in its present attempt. */
function neverTaken({ dispatches }: Job): boolean {
  return dispatches === 0;
}
