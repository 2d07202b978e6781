import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { isRunsync } from "./builders/conditions.ts";
import { atEvent, onEvent } from "./builders/events.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { all, also, except, remembering, replace, where } from "./builders/member.ts";

/** Bugs in how often and when a webhook is called, and in what a failing one does to others. */
export const webhookAttemptFaults: readonly Fault[] = faultsOf({
  "webhook/acknowledged-and-repeated": {
    breaks: ["HOOK-03"],
    describe: "A call that was answered with 200 is made once more.",
    change: except("webhook.acknowledges", ({ attempt }) => attempt === 1),
  },
  "webhook/acknowledged-and-repeated-for-runsync": {
    breaks: ["HOOK-03"],
    describe: "An acknowledged call of a runsync job is made once more.",
    change: except("webhook.acknowledges", ({ attempt, job }) => attempt === 1 && isRunsync(job)),
  },
  "webhook/four-attempts": {
    breaks: ["HOOK-04"],
    describe: "A failing call is made four times.",
    change: () => ({ webhook: { attemptsMax: () => 4 } }),
  },
  "webhook/attempts-without-end": {
    breaks: ["HOOK-04"],
    describe: "A failing call is made until it succeeds.",
    change: () => ({ webhook: { attemptsMax: () => 200 } }),
  },
  "webhook/two-attempts": {
    breaks: ["HOOK-04"],
    describe: "A failing call is made twice.",
    change: () => ({ webhook: { attemptsMax: () => 2 } }),
  },
  "webhook/one-attempt-for-runsync": {
    breaks: ["HOOK-04"],
    describe: "A failing call of a runsync job is not repeated.",
    change: where("webhook.attemptsMax", ({ job }) => isRunsync(job), 1),
  },
  "webhook/spacing-1-ms-short": {
    breaks: ["HOOK-05"],
    describe: "The attempts are 9,999 ms apart.",
    change: () => ({ webhook: { spacingMs: () => 9_999 } }),
  },
  "webhook/spacing-2-ms-long": {
    breaks: ["HOOK-05"],
    describe: "The attempts are 10,002 ms apart.",
    change: () => ({ webhook: { spacingMs: () => 10_002 } }),
  },
  "webhook/spacing-grows": {
    breaks: ["HOOK-05"],
    describe: "The third attempt comes 20 s after the second one.",
    change: () => ({ webhook: { spacingMs: ({ attempt }) => attempt * 10_000 } }),
  },
  "webhook/no-spacing-after-a-drop": {
    breaks: ["HOOK-05"],
    describe: "A call whose connection was dropped is repeated at once.",
    change: where("webhook.spacingMs", ({ failure }) => failure === "dropped", 0),
  },
  "webhook/success-counts-once": {
    breaks: ["HOOK-06"],
    describe: "Only the first attempt can be acknowledged.",
    change: except("webhook.acknowledges", ({ attempt }) => attempt > 1),
  },
  "webhook/success-after-a-drop-is-missed": {
    breaks: ["HOOK-06"],
    describe: "After a dropped connection a success is not seen, so that the call is made again.",
    change: remembering(
      () => new Set<Job>(),
      (dropped) =>
        except("webhook.acknowledges", ({ failure, job }) => {
          if (failure === "dropped") dropped.add(job);
          return dropped.has(job);
        }),
    ),
  },
  "webhook/any-2xx-acknowledges": {
    breaks: ["HOOK-07"],
    describe: "Every status from 200 to 299 ends the call.",
    change: also("webhook.acknowledges", ({ status = 0 }) => status >= 200 && status <= 299),
  },
  "webhook/no-content-acknowledges": {
    breaks: ["HOOK-07"],
    describe: "An answer of 204 ends the call as 200 does.",
    change: also("webhook.acknowledges", ({ status }) => status === 204),
  },
  "webhook/redirect-acknowledges": {
    breaks: ["HOOK-07"],
    describe: "A redirect ends the call.",
    change: also("webhook.acknowledges", ({ status = 0 }) => status >= 300 && status <= 399),
  },
  "webhook/redirect-is-followed": {
    breaks: ["HOOK-07"],
    describe: "A redirect is followed, and a 200 behind it ends the call.",
    change: () => ({ webhook: { redirectsMax: 3 } }),
  },
  "webhook/client-error-ends-it": {
    breaks: ["HOOK-07"],
    describe: "An answer of 4xx is taken as final.",
    change: also("webhook.acknowledges", ({ status = 0 }) => status >= 400 && status <= 499),
  },
  "webhook/server-error-ends-it": {
    breaks: ["HOOK-07"],
    describe: "An answer of 500 is taken as final.",
    change: also("webhook.acknowledges", ({ status }) => status === 500),
  },
  "webhook/dropped-connection-ends-it": {
    breaks: ["HOOK-07"],
    describe: "A call whose connection is dropped is not repeated.",
    change: also("webhook.acknowledges", ({ failure }) => failure === "dropped"),
  },
  "webhook/refused-connection-ends-it": {
    breaks: ["HOOK-07"],
    describe: "A call whose connection is refused is not repeated.",
    change: also("webhook.acknowledges", ({ failure }) => failure === "refused"),
  },
  "webhook/silence-ends-it": {
    breaks: ["HOOK-07"],
    describe: "A call that is never answered is not repeated.",
    change: also("webhook.acknowledges", ({ failure }) => failure === "silent"),
  },
  "webhook/keeps-the-worker": {
    breaks: ["HOOK-09"],
    describe: "A worker is busy until the webhook of its job is acknowledged or given up.",
    change: () => ({ webhook: { keepsWorker: () => true } }),
  },
  "webhook/failure-fails-the-job": {
    breaks: ["HOOK-09"],
    describe: "A job whose webhook was never acknowledged becomes FAILED.",
    change: onEvent("webhook-given-up", "FAILED"),
  },
  "webhook/failure-drops-the-output": {
    breaks: ["HOOK-09"],
    describe: "A job whose webhook was never acknowledged loses its output.",
    change: atEvent("webhook-given-up", (job) => void (job.output = undefined)),
  },
  "webhook/third-success-is-not-believed": {
    breaks: ["HOOK-06"],
    describe: "A call that succeeds on the third attempt is made once more.",
    change: all(
      replace("webhook.attemptsMax", () => 4),
      except("webhook.acknowledges", ({ attempt }) => attempt === 3),
    ),
  },
  "webhook/four-attempts-after-a-drop": {
    breaks: ["HOOK-04"],
    describe: "A call whose connection is dropped is made four times.",
    change: where("webhook.attemptsMax", ({ failure }) => failure === "dropped", 4),
  },
  "webhook/failure-deletes-the-job": {
    breaks: ["HOOK-09"],
    describe: "A job is deleted when the last call of its webhook has failed.",
    change: onEvent("webhook-given-up", "DELETED"),
  },
  "webhook/failure-prolongs-the-result": {
    breaks: ["HOOK-09"],
    describe: "The first read after a webhook was given up starts the retention anew.",
    change: remembering(
      () => new Set<Job>(),
      (givenUp) =>
        all(
          atEvent("webhook-given-up", (job) => void givenUp.add(job)),
          also("retention.isProlongedBy", (_operation, job) => givenUp.delete(job)),
        ),
    ),
  },
});
