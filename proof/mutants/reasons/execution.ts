import type { Reason } from "../reason.ts";
import {
  CLOSED_BY_CONTROL,
  KEPT_IN_A_FILE,
  NO_ERROR_IS_STATED,
  NO_REAL_WORKERS,
  because,
} from "./because.ts";

/** Of mutants that no client can see. */
export const unseen: readonly Reason[] = [
  ...because("reference/execution.ts", CLOSED_BY_CONTROL, [
    { within: "Execution.close", mutator: "BlockStatement" },
  ]),
  ...because("reference/execution.ts", NO_REAL_WORKERS, [
    ["fleet !== undefined && !fleet.hasOffer", "false"],
    ["fleet?.canTake(job.id) === false", "false"],
    { within: "Execution.#firstThatCanGo.others" },
  ]),
  ...because(
    "reference/execution.ts",
    "Which worker it was is told to the owner of a handler alone.",
    [
      { within: "Execution.#start.workerNumber" },
      ["`worker-${workerNumber}`", "``"],
      { within: "Execution.#finish", original: 'ending.kind === "died"' },
      { within: "Execution.#finish", original: '"died"' },
      { within: "Execution.#releaseWorker", original: "run.workerNumber !== undefined" },
    ],
  ),
  ...because("reference/execution.ts", NO_ERROR_IS_STATED, [
    ["`executionTimeout of ${timeoutMs} ms exceeded`", "``"],
    ["{ error: `executionTimeout of ${timeoutMs} ms exceeded` }", "{}"],
    ["{ error: lifecycle.lostError(job) }", "{}"],
  ]),
  ...because("reference/endpoint.ts", CLOSED_BY_CONTROL, [{ within: "Endpoint.close" }]),
  ...because("reference/endpoint.ts", KEPT_IN_A_FILE, [
    { within: "Endpoint.restore*" },
    { within: "Endpoint.#restoreTimers" },
    { within: "Endpoint.giveUp" },
    { within: "Endpoint.plan" },
    { within: "Endpoint.origin" },
    ["this.#sequence += 1", "this.#sequence -= 1"],
  ]),
];
