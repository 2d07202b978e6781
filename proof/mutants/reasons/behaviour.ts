import type { Reason } from "../reason.ts";
import {
  NOTHING_IS_UNDEFINED,
  NOT_SHOWN,
  NO_ERROR_IS_STATED,
  NO_TEXT_IS_STATED,
  because,
} from "./because.ts";

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
  ...because("reference/behaviour/authentication.ts", NOTHING_IS_UNDEFINED, [
    { within: "authentication.permitsForeignKey", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/retention.ts", NOTHING_IS_UNDEFINED, [
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
  ...because("reference/behaviour/operations.ts", NOTHING_IS_UNDEFINED, [
    { within: "operations.workersFreedBesides", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/operations.ts", "A job that has not completed has no output.", [
    { within: "operations.showsOutput", replacement: "true" },
  ]),
  ...because("reference/behaviour/operations.ts", "A job that does not wait is not purged.", [
    { within: "operations.purges", replacement: "true" },
  ]),
  ...because(
    "reference/behaviour/operations.ts",
    "A failed job without a status is answered 500, which SYNC-10 accepts.",
    [{ within: "operations.failedRunsyncStatus", mutator: "ArrowFunction" }],
  ),
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
  ...because(
    "reference/behaviour/limits.ts",
    "When a request is counted, and which refused ones, is open.",
    [
      { within: "limits.waitForTheBody" },
      { within: "limits.comeBeforeTheKey" },
      { within: "limits.countsCapRefusals" },
    ],
  ),
  ...because("reference/behaviour/limits.ts", NOTHING_IS_UNDEFINED, [
    { within: "limits.forgetsAfter", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/stream.ts", "What the metrics of a chunk say is the worker's.", [
    { within: "stream.metrics", mutator: "ObjectLiteral" },
  ]),
  ...because(
    "reference/behaviour/stream.ts",
    "Whether reading consumes chunks is open (STRM-05).",
    [{ within: "stream.take.unread", mutator: "MethodExpression" }],
  ),
  ...because("reference/behaviour/surface.ts", NOT_SHOWN, [{ within: "surface.openAi" }]),
  ...because("reference/behaviour/transport.ts", NOTHING_IS_UNDEFINED, [
    { within: "transport.delayBeforeMs", mutator: "ArrowFunction" },
    { within: "transport.delayAfterMs", mutator: "ArrowFunction" },
  ]),
  ...because(
    "reference/behaviour/submission.ts",
    "Which content types are refused, and whether a length is wanted, is open.",
    [
      { within: "submission.acceptsContentType" },
      { within: "submission.demandsLength", mutator: "BooleanLiteral" },
    ],
  ),
  ...because("reference/behaviour/submission.ts", NOTHING_IS_UNDEFINED, [
    { within: "submission.demandsLength", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/submission.ts", "An integer is a number.", [
    { within: "isIntegerWithin", original: 'typeof value === "number"', replacement: "true" },
  ]),
  ...because(
    "reference/behaviour/submission.ts",
    "Whether a number may be spelled in another way, such as 5e3, is open.",
    [
      { within: "decimal", mutator: "ConditionalExpression", replacement: "false" },
      { within: "decimal", mutator: "LogicalOperator" },
      { within: "decimal", mutator: "Regex" },
    ],
  ),
  ...because(
    "reference/behaviour/submission.ts",
    "SUBM-06 is asked of strings that are no URL at all: which schemes and spellings are taken is open.",
    [
      { within: "isHttpUrl", mutator: "LogicalOperator" },
      { within: "isHttpUrl", mutator: "Regex" },
    ],
  ),
  ...because(
    "reference/behaviour/webhook.ts",
    "Whether a job that does not complete calls its webhook is open (HOOK-10).",
    [
      { within: "webhook.isCalledFor", replacement: "true" },
      { within: "webhook.isCalledFor", original: 'status === "FAILED"' },
      { within: "webhook.isCalledFor", original: 'status === "TIMED_OUT"' },
      { within: "webhook.isCalledFor", mutator: "StringLiteral", original: '"FAILED"' },
      { within: "webhook.isCalledFor", mutator: "StringLiteral", original: '"TIMED_OUT"' },
    ],
  ),
  ...because(
    "reference/behaviour/webhook.ts",
    "How long a silent receiver is waited for is not stated.",
    [{ within: "webhook.answerWithinMs" }],
  ),
  ...because("reference/behaviour/webhook.ts", NOTHING_IS_UNDEFINED, [
    { within: "webhook.isCalledAtStart", mutator: "ArrowFunction" },
    { within: "webhook.startsAfterMs", mutator: "ArrowFunction" },
    { within: "webhook.keepsWorker", mutator: "ArrowFunction" },
  ]),
  ...because("reference/behaviour/submission.ts", "An id is any text that is not empty.", [
    { within: "submission.jobId", mutator: "ConditionalExpression" },
    { within: "submission.jobId", mutator: "EqualityOperator" },
    { within: "submission.jobId", original: '"run"' },
  ]),
];
