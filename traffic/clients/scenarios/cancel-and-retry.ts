import { both, delivers, submitsAtMost } from "../expectations.ts";
import type { ClientScenario } from "../scenario.ts";
import { cause, done, endless } from "./jobs-of-scenarios.ts";

/** What a client does to its jobs. */
export const ofCancelAndRetry: readonly ClientScenario[] = [
  {
    name: "cancel-plain",
    about: "A job that is IN_PROGRESS is to be cancelled.",
    task: "cancel",
    shows: ["CLNT-01", "CLNT-03"],
    output: "CANCELLED",
    handler: endless,
    decides: { "CLNT-61": both(submitsAtMost(1), delivers) },
  },
  {
    name: "retry-plain",
    about: "The job fails, and is done when it is retried.",
    task: "retry",
    shows: ["CLNT-01", "CLNT-03"],
    handler:
      () =>
      (_input, { attempt }) => {
        if (attempt === 1) throw new Error(cause);
        return done;
      },
    decides: { "CLNT-60": both(submitsAtMost(1), delivers) },
  },
  {
    name: "retry-needless",
    about: "The job is done, so that there is nothing to retry.",
    task: "retry",
    decides: { "CLNT-60": both(submitsAtMost(1), delivers) },
  },
];
