import type { Reason } from "../reason.ts";
import { NOTHING_IS_NO, NO_ERROR_IS_STATED, NO_TEXT_IS_STATED, because } from "./because.ts";

/** Reasons for mutants that no client can see. */
export const unseen: readonly Reason[] = [
  ...because("reference/behaviour/authentication.ts", NO_TEXT_IS_STATED, [
    { within: "authentication.refusalDetail" },
  ]),
  ...because("reference/behaviour/authentication.ts", "A header without a key holds nobody's.", [
    { within: "authentication.keyOf", mutator: "ConditionalExpression" },
    { within: "authentication.keyOf", mutator: "LogicalOperator" },
    { within: "authentication.keyOf", mutator: "StringLiteral" },
  ]),
  ...because(
    "reference/behaviour/authentication.ts",
    "Which spellings of a header with the right key are understood is open.",
    [{ within: "authentication.keyOf", mutator: "Regex" }],
  ),
  ...because("reference/behaviour/authentication.ts", NOTHING_IS_NO, [
    { within: "authentication.permitsForeignKey", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/retention.ts", NOTHING_IS_NO, [
    { within: "retention.isProlongedBy", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/lifecycle.ts", NO_ERROR_IS_STATED, [
    { within: "lifecycle.lostError" },
    { within: "lifecycle.keptError" },
  ]),
  ...because("reference/behaviour/operations.ts", NO_TEXT_IS_STATED, [
    ["{ status, title, detail }", "{}"],
    { within: "operations.errorBody", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/operations.ts", NOTHING_IS_NO, [
    { within: "operations.workersFreedBesides", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/operations.ts", "A job that has not completed has no output.", [
    { within: "operations.showsOutput", replacement: "true" },
  ]),
  ...because("reference/behaviour/operations.ts", "A job that does not wait is not purged.", [
    { within: "operations.purges", replacement: "true" },
  ]),
  ...because("reference/behaviour/operations.ts", "An answer without a status has 200.", [
    { within: "operations.failedRunsyncStatus", mutator: "ArrowFunction" },
  ]),
  ...because(
    "reference/behaviour/operations.ts",
    "What cancel answers of a finished job is open (CANC-06).",
    [{ within: "operations.finishedCancelShows", mutator: "ArrowFunction" }],
  ),
  ...because(
    "reference/behaviour/operations.ts",
    "Whether a job that is begun again counts as retried is open (LIFE-05).",
    [{ within: "operations.countsRedispatch" }],
  ),
  ...because("reference/behaviour/submission.ts", "An id is any text that is not empty.", [
    { within: "submission.jobId", mutator: "ConditionalExpression" },
    { within: "submission.jobId", mutator: "EqualityOperator" },
    { within: "submission.jobId", original: '"run"' },
  ]),
];
