import type { Reason } from "../reason.ts";
import { NO_ERROR_IS_STATED, NO_TEXT_IS_STATED, because } from "./because.ts";

/** Of mutants that no client can see. */
export const unseen: readonly Reason[] = [
  ...because("reference/behaviour/authentication.ts", NO_TEXT_IS_STATED, [
    { within: "authentication.refusalDetail" },
  ]),
  ...because("reference/behaviour/lifecycle.ts", NO_ERROR_IS_STATED, [
    { within: "lifecycle.lostError" },
    { within: "lifecycle.keptError" },
  ]),
  ...because("reference/behaviour/operations.ts", NO_TEXT_IS_STATED, [
    ["{ status, title, detail }", "{}"],
  ]),
  ...because("reference/behaviour/submission.ts", "An id is any text that is not empty.", [
    { within: "submission.jobId", mutator: "ConditionalExpression" },
    { within: "submission.jobId", mutator: "EqualityOperator" },
    { within: "submission.jobId", original: '"run"' },
  ]),
];
