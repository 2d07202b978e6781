import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { inRecord } from "./builders/answers.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { is } from "./builders/conditions.ts";
import { refuseEvent, takeEventAs, onEvent } from "./builders/events.ts";
import { isRetried, isRunsync } from "./builders/jobs.ts";
import { except, result } from "./builders/member.ts";

/** Bugs in handlers that raise, workers that die, and jobs that get lost. */
export const stateHandlerFaults: readonly Fault[] = [
  fault("states/handler-error-completes", ["LIFE-04"], {
    describe: "A job whose handler raises is COMPLETED.",
    change: takeEventAs("handler-raised", "handler-returned"),
  }),
  fault("states/handler-error-times-out-for-runsync", ["LIFE-04"], {
    describe: "A runsync job whose handler raises is TIMED_OUT.",
    change: takeEventAs("handler-raised", "execution-timed-out", isRunsync),
  }),
  fault("states/error-stands-in-the-output", ["LIFE-04"], {
    describe: "A failed job has an output that holds the error.",
    change: inRecord(({ error }) => ({ output: { error } }), is("FAILED")),
  }),
  fault("states/unknown-op-completes", ["LIFE-04"], {
    describe: "An error without a message of the handler's own is taken for a result.",
    change: takeEventAs(
      "handler-raised",
      "handler-returned",
      ({ submission }) => !["fail", "flaky"].includes(String(submission.input["op"])),
    ),
  }),
  fault("states/second-failure-is-cancelled", ["LIFE-04"], {
    describe: "A job that fails again after a retry is CANCELLED.",
    change: takeEventAs("handler-raised", "cancel", isRetried),
  }),
  fault("states/crash-completes", ["LIFE-05"], {
    describe: "A job whose worker crashes is COMPLETED.",
    change: all(
      takeEventAs("worker-died", "handler-returned"),
      takeEventAs("worker-died-again", "handler-returned"),
    ),
  }),
  fault("states/crash-is-never-noticed", ["LIFE-05"], {
    describe: "A job whose worker crashes stays IN_PROGRESS for ever.",
    change: all(refuseEvent("worker-died"), refuseEvent("worker-died-again")),
  }),
  fault("states/every-fortieth-job-is-lost", ["LIFE-08"], {
    describe: "Every fortieth job is accepted and never gets into the queue.",
    change: remembering(new Set<string>(), (accepted) =>
      except("lifecycle.entersQueue", ({ id }) => accepted.add(id).size % 40 === 0),
    ),
  }),
  fault("states/long-queue-loses-jobs", ["LIFE-08"], {
    describe: "A job accepted while more than 20 have not ended is lost.",
    change: remembering(new Set<Job>(), (open) => [
      result("lifecycle.next", (destination, job) => {
        const goesOn = destination === "IN_QUEUE" || destination === "IN_PROGRESS";
        if (destination !== undefined && !goesOn) open.delete(job);
        return destination;
      }),
      except("lifecycle.entersQueue", (job) => {
        const isLost = open.size > 20;
        if (!isLost) open.add(job);
        return isLost;
      }),
    ]),
  }),
  fault("states/retried-job-is-lost", ["LIFE-08"], {
    describe: "A job that is retried is accepted and never gets back into the queue.",
    change: except("lifecycle.entersQueue", isRetried),
  }),
  fault("states/error-beyond-ascii-completes", ["LIFE-04"], {
    describe: "A handler's error with a character beyond ASCII is taken for a result.",
    change: takeEventAs("handler-raised", "handler-returned", raises(/[^\n -~]/)),
  }),
  fault("states/long-error-is-not-kept", ["LIFE-04"], {
    describe: "A job whose handler raises an error of more than 1000 characters is lost.",
    change: onEvent("handler-raised", "DELETED", raises(/^[^]{1001}/)),
  }),
  fault("states/error-with-a-quote-is-not-kept", ["LIFE-04"], {
    describe: "A job whose handler raises an error with a quote is lost.",
    change: onEvent("handler-raised", "DELETED", raises(/"/)),
  }),
  fault("states/error-that-is-json-completes", ["LIFE-04"], {
    describe:
      "A handler's error whose message is the JSON of an object or array is taken for a result.",
    change: takeEventAs("handler-raised", "handler-returned", raises(/^[{[]/)),
  }),
];

/** Holds for jobs whose handler is asked to raise such a message. */
function raises(form: RegExp): (job: Job) => boolean {
  return ({ submission }) => form.test(String(submission.input["message"]));
}
