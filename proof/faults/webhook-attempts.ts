import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { always, is, type JobCondition } from "./builders/conditions.ts";
import { atEvent, onEvent } from "./builders/events.ts";
import { repeatedAfter } from "./builders/webhook-calls.ts";
import { isRetried, isRunsync } from "./builders/jobs.ts";
import { also, type Change, except, instead, replace, whenever } from "./builders/member.ts";

/** Bugs in how often and when a webhook is called, and in what a failing one does to others. */
export const webhookAttemptFaults: readonly Fault[] = [
  fault("webhook/acknowledged-and-repeated-for-runsync", ["HOOK-03"], {
    describe: "An acknowledged call of a runsync job is made once more.",
    change: except("webhook.acknowledges", ({ attempt, job }) => attempt === 1 && isRunsync(job)),
  }),
  fault("webhook/four-attempts", ["HOOK-04"], {
    describe: "A failing call is made four times.",
    change: () => ({ webhook: { attemptsMax: () => 4 } }),
  }),
  fault("webhook/one-attempt-for-runsync", ["HOOK-04"], {
    describe: "A failing call of a runsync job is not repeated.",
    change: instead("webhook.attemptsMax", 1, ({ job }) => isRunsync(job)),
  }),
  fault("webhook/spacing-1-ms-short", ["HOOK-05"], {
    describe: "The attempts are 9,999 ms apart.",
    change: () => ({ webhook: { spacingMs: () => 9_999 } }),
  }),
  fault("webhook/spacing-2-ms-long", ["HOOK-05"], {
    describe: "The attempts are 10,002 ms apart.",
    change: () => ({ webhook: { spacingMs: () => 10_002 } }),
  }),
  fault("webhook/spacing-grows", ["HOOK-05"], {
    describe: "The third attempt comes 20 s after the second one.",
    change: () => ({ webhook: { spacingMs: ({ attempt }) => attempt * 10_000 } }),
  }),
  fault("webhook/no-spacing-after-a-drop", ["HOOK-05"], {
    describe: "A call whose connection was dropped is repeated at once.",
    change: instead("webhook.spacingMs", 0, ({ failure }) => failure === "dropped"),
  }),
  fault("webhook/success-after-a-drop-is-missed", ["HOOK-06"], {
    describe: "After a dropped connection a success is not seen, so that the call is made again.",
    change: remembering(new Set<Job>(), (dropped) =>
      except("webhook.acknowledges", ({ failure, job }) => {
        if (failure === "dropped") dropped.add(job);
        return dropped.has(job);
      }),
    ),
  }),
  fault("webhook/no-content-acknowledges", ["HOOK-07"], {
    describe: "An answer of 204 ends the call as 200 does.",
    change: also("webhook.acknowledges", ({ status }) => status === 204),
  }),
  fault("webhook/redirect-is-followed", ["HOOK-07"], {
    describe: "A redirect is followed, and a 200 behind it ends the call.",
    change: () => ({ webhook: { redirectsMax: 3 } }),
  }),
  fault("webhook/server-error-ends-it", ["HOOK-07"], {
    describe: "An answer of 500 is taken as final.",
    change: also("webhook.acknowledges", ({ status }) => status === 500),
  }),
  fault("webhook/dropped-connection-ends-it", ["HOOK-07"], {
    describe: "A call whose connection is dropped is not repeated.",
    change: also("webhook.acknowledges", ({ failure }) => failure === "dropped"),
  }),
  fault("webhook/refused-connection-ends-it", ["HOOK-07"], {
    describe: "A call whose connection is refused is not repeated.",
    change: also("webhook.acknowledges", ({ failure }) => failure === "refused"),
  }),
  fault("webhook/silence-ends-it", ["HOOK-07"], {
    describe: "A call that is never answered is not repeated.",
    change: also("webhook.acknowledges", ({ failure }) => failure === "silent"),
  }),
  fault("webhook/keeps-the-worker", ["HOOK-09"], {
    describe: "A worker is busy until the webhook of its job is acknowledged or given up.",
    change: () => ({ webhook: { keepsWorker: () => true } }),
  }),
  fault("webhook/failure-fails-the-job", ["HOOK-09"], {
    describe: "A job whose webhook was never acknowledged becomes FAILED.",
    change: onEvent("webhook-given-up", "FAILED"),
  }),
  fault("webhook/failure-drops-the-output", ["HOOK-09"], {
    describe: "A job whose webhook was never acknowledged loses its output.",
    change: atEvent("webhook-given-up", (job) => void (job.output = undefined)),
  }),
  fault("webhook/third-success-is-not-believed", ["HOOK-06"], {
    describe: "A call that succeeds on the third attempt is made once more.",
    change: all(
      replace("webhook.attemptsMax", () => 4),
      except("webhook.acknowledges", ({ attempt }) => attempt === 3),
    ),
  }),
  fault("webhook/four-attempts-after-a-drop", ["HOOK-04"], {
    describe: "A call whose connection is dropped is made four times.",
    change: instead("webhook.attemptsMax", 4, ({ failure }) => failure === "dropped"),
  }),
  fault("webhook/failure-deletes-the-job", ["HOOK-09"], {
    describe: "A job is deleted when the last call of its webhook has failed.",
    change: onEvent("webhook-given-up", "DELETED"),
  }),
  fault("webhook/failure-prolongs-the-result", ["HOOK-09"], {
    describe: "The first read after a webhook was given up starts the retention anew.",
    change: remembering(new Set<Job>(), (givenUp) => [
      atEvent("webhook-given-up", (job) => void givenUp.add(job)),
      also("retention.isProlongedBy", (_operation, job) => givenUp.delete(job)),
    ]),
  }),
  fault("webhook/gone-ends-it", ["HOOK-04", "HOOK-07"], {
    describe: "An answer of 410 ends a call, as if nobody wanted it any more.",
    change: instead("webhook.attemptsMax", 1, ({ status }) => status === 410),
  }),
  fault("webhook/spacing-of-runsync-is-short", ["HOOK-05"], {
    describe: "The attempts for a runsync job are 5 s apart.",
    change: instead("webhook.spacingMs", 5_000, ({ job }) => isRunsync(job)),
  }),
  fault("webhook/one-attempt-after-a-failure", ["HOOK-04"], {
    describe: "A call that tells of a failed job is made once.",
    change: instead("webhook.attemptsMax", 1, ({ job }) => job.status === "FAILED"),
  }),
  fault("webhook/four-attempts-after-a-timeout", ["HOOK-04"], {
    describe: "A call that tells of a job that timed out is made four times.",
    change: instead("webhook.attemptsMax", 4, ({ job }) => job.status === "TIMED_OUT"),
  }),
  fault("webhook/two-attempts-after-a-cancel", ["HOOK-04"], {
    describe: "A cancelled job calls its webhook, as it may, but twice at most.",
    change: all(
      also("webhook.isCalledFor", is("CANCELLED")),
      instead("webhook.attemptsMax", 2, ({ job }) => job.status === "CANCELLED"),
    ),
  }),
  fault("webhook/acknowledged-url-is-not-called-again", ["HOOK-01"], {
    describe: "A URL that has answered 200 is called for no other job.",
    change: withAcknowledgedUrls((isKnown) => except("webhook.isCalledFor", isKnown)),
  }),
  fault("webhook/acknowledged-url-ends-all-attempts", ["HOOK-04"], {
    describe: "A call is not repeated where its URL has answered 200 for another job.",
    change: withAcknowledgedUrls((isKnown) =>
      instead("webhook.attemptsMax", 1, ({ job }) => isKnown(job)),
    ),
  }),
  fault("webhook/third-attempt-is-a-put", ["HOOK-01"], {
    describe: "The third attempt of a call is a PUT.",
    change: instead("webhook.method", "PUT", (_job, attempt) => attempt === 3),
  }),
  ...(
    [
      ["webhook/acknowledged-and-repeated-an-hour-later", always, "A call"],
      ["webhook/failure-is-told-again-an-hour-later", is("FAILED"), "A call of a failed job"],
      [
        "webhook/timeout-is-told-again-an-hour-later",
        is("TIMED_OUT"),
        "A call of a job that timed out",
      ],
      [
        "webhook/retried-job-is-told-again-an-hour-later",
        isRetried,
        "A call of a job that was retried",
      ],
    ] as const
  ).map(([name, condition, what]) =>
    fault(name, ["HOOK-03"], {
      describe: `${what} that was answered with 200 is made once more an hour later.`,
      change: repeatedAfter(3_600_000, condition),
    }),
  ),
  fault("webhook/given-up-and-made-again-an-hour-later", ["HOOK-04"], {
    describe: "A call that failed three times is made once more an hour later.",
    change: all(
      instead("webhook.attemptsMax", 4, ({ status }) => status !== 200),
      instead("webhook.spacingMs", 3_600_000, ({ attempt }) => attempt === 3),
    ),
  }),
];

/** A change that knows whether the URL of a job has answered 200 for a job before it. */
function withAcknowledgedUrls(use: (isKnown: JobCondition) => Change): Change {
  return remembering(new Map<string, Job>(), (acknowledgedFor) => [
    whenever("webhook.acknowledges", ({ status, job }) => {
      const { webhook = "" } = job.submission;
      if (status === 200 && !acknowledgedFor.has(webhook)) acknowledgedFor.set(webhook, job);
    }),
    use((job) => (acknowledgedFor.get(job.submission.webhook ?? "") ?? job) !== job),
  ]);
}
