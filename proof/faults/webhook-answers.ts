import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { fault, remembering } from "./builders/compose.ts";
import { is } from "./builders/conditions.ts";
import { atEvent } from "./builders/events.ts";
import { isRetried, isRunsync, hasLargeOutput } from "./builders/jobs.ts";
import { afterCall } from "./builders/marks.ts";
import { also, type Change, except, instead, result } from "./builders/member.ts";

/** Bugs in what a receiver's answer means for the calls that follow, by its status, its moment and its job. */
export const webhookAnswerFaults: readonly Fault[] = [
  fault("webhook/conflict-ends-it", ["HOOK-04", "HOOK-07"], {
    describe: "An answer of 409 ends a call, as if it had come before.",
    change: also("webhook.acknowledges", ({ status }) => status === 409),
  }),
  fault("webhook/forbidden-ends-it", ["HOOK-04", "HOOK-07"], {
    describe: "An answer of 401 or 403 is taken as final.",
    change: instead("webhook.attemptsMax", 1, ({ status }) => status === 401 || status === 403),
  }),
  fault("webhook/not-modified-acknowledges", ["HOOK-04", "HOOK-07"], {
    describe: "An answer of 304 ends the call.",
    change: also("webhook.acknowledges", ({ status }) => status === 304),
  }),
  fault("webhook/rare-success-acknowledges", ["HOOK-04", "HOOK-07"], {
    describe: "An answer of 203, 205 or 207 ends the call.",
    change: also(
      "webhook.acknowledges",
      ({ status }) => status === 203 || status === 205 || status === 207,
    ),
  }),
  fault("webhook/gateway-error-ends-it", ["HOOK-04", "HOOK-07"], {
    describe: "An answer of 502 or 504 ends the call, since it may have come through.",
    change: instead("webhook.attemptsMax", 1, ({ status }) => status === 502 || status === 504),
  }),
  fault("webhook/client-error-ends-a-repetition", ["HOOK-04", "HOOK-07"], {
    describe: "A repeated call that is answered with 4xx is not repeated again.",
    change: also(
      "webhook.acknowledges",
      ({ status = 0, attempt }) => attempt > 1 && status >= 400 && status < 500,
    ),
  }),
  fault("webhook/backs-off-after-429", ["HOOK-05"], {
    describe: "A call that is answered 429 is repeated after a minute.",
    change: instead("webhook.spacingMs", 60_000, ({ status }) => status === 429),
  }),
  fault("webhook/backs-off-after-503", ["HOOK-05"], {
    describe: "A call that is answered 503 is repeated after 30 seconds.",
    change: instead("webhook.spacingMs", 30_000, ({ status }) => status === 503),
  }),
  fault("webhook/spacing-of-a-failure-is-short", ["HOOK-05"], {
    describe: "The calls that tell of a failed job are a second apart.",
    change: instead("webhook.spacingMs", 1_000, ({ job }) => job.status === "FAILED"),
  }),
  fault("webhook/spacing-of-a-retry-is-short", ["HOOK-05"], {
    describe: "The calls of a retried job are five seconds apart.",
    change: instead("webhook.spacingMs", 5_000, ({ job }) => isRetried(job)),
  }),
  fault("webhook/repeated-by-a-sweep", ["HOOK-05"], {
    describe: "A sweep every ten seconds repeats the calls that have failed.",
    change: result("webhook.spacingMs", (ms, { job }) => ms - ((job.finishedAtMs ?? 0) % 10_000)),
  }),
  fault("webhook/success-of-runsync-counts-once", ["HOOK-06"], {
    describe: "Of a runsync job only the first call can be acknowledged.",
    change: except("webhook.acknowledges", ({ attempt, job }) => attempt > 1 && isRunsync(job)),
  }),
  fault("webhook/acknowledged-failure-is-repeated", ["HOOK-03"], {
    describe: "A call that tells of a failed job is made again after an answer of 200.",
    change: except(
      "webhook.acknowledges",
      ({ attempt, job }) => attempt === 1 && job.status === "FAILED",
    ),
  }),
  fault("webhook/acknowledged-timeout-is-repeated", ["HOOK-03"], {
    describe: "A call that tells of a job that timed out is made again after an answer of 200.",
    change: except(
      "webhook.acknowledges",
      ({ attempt, job }) => attempt === 1 && job.status === "TIMED_OUT",
    ),
  }),
  fault("webhook/large-body-has-one-attempt", ["HOOK-04"], {
    describe: "A call with an output of more than 1 MB is not repeated.",
    change: instead("webhook.attemptsMax", 1, ({ job }) => hasLargeOutput(job)),
  }),
  fault("webhook/refusal-does-not-count", ["HOOK-04"], {
    describe: "A call whose connection was refused does not count as one of three.",
    change: onceFailed("refused", (attemptsMax) => attemptsMax + 1),
  }),
  fault("webhook/refusal-leaves-one-more", ["HOOK-04"], {
    describe: "A call whose connection was refused is made once more, and no second time.",
    change: onceFailed("refused", () => 2),
  }),
  fault("webhook/silence-leaves-one-more", ["HOOK-04"], {
    describe: "A call that was not answered is made once more, and no second time.",
    change: onceFailed("silent", () => 2),
  }),
  fault("webhook/silence-adds-one", ["HOOK-04"], {
    describe: "A call that was not answered does not count as one of three.",
    change: onceFailed("silent", (attemptsMax) => attemptsMax + 1),
  }),
  fault("webhook/retry-ends-attempts-of-the-failure", ["HOOK-04"], {
    describe: "After a retry the call that tells of the failure before it is made twice at most.",
    change: remembering(new Set<Job>(), (retried) => [
      atEvent("retry", (job) => void retried.add(job), is("FAILED")),
      result("webhook.attemptsMax", (attemptsMax, { job, attempt }) =>
        attempt === 2 && retried.delete(job) ? attempt : attemptsMax,
      ),
    ]),
  }),
  fault("webhook/acknowledged-failure-ends-repetitions", ["HOOK-04", "RETR-08"], {
    describe: "A job whose failure was acknowledged calls its webhook once after a retry.",
    change: afterCall(
      ({ status }) => status === 200,
      (wasAcknowledged) => instead("webhook.attemptsMax", 1, ({ job }) => wasAcknowledged(job)),
    ),
  }),
];

/** Changes how many calls a job may make once one of them has failed in this way. */
function onceFailed(way: "refused" | "silent", change: (attemptsMax: number) => number): Change {
  return remembering(new Set<Job>(), (failed) =>
    result("webhook.attemptsMax", (attemptsMax, { job, failure }) => {
      if (failure === way) failed.add(job);
      return failed.has(job) ? change(attemptsMax) : attemptsMax;
    }),
  );
}
