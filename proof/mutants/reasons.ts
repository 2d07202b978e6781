import type { Reasons } from "./page.ts";
import type { Reason } from "./reason.ts";

/** One change of the code, or all of which something holds. */
type Change = readonly [original: string, replacement: string] | Omit<Reason, "file" | "why">;

const NO_TEXT_IS_STATED = "What a refusal says is not stated: its status is.";
const NO_ERROR_IS_STATED = "A job that failed need not say why: error is not stated.";
const NO_REAL_WORKERS = "The suite brings no real workers in process; interop does.";
const CLOSED_BY_CONTROL =
  "An endpoint is closed by the control protocol alone, and answers nobody afterwards.";
const KEPT_IN_A_FILE =
  "It is for a server that keeps its state in a file, and the suite starts none; its tests do.";
const NOT_SHOWN = "The shape of this answer is not shown.";

const unseen: readonly Reason[] = [
  ...because(
    "reference/limiters.ts",
    "Only permitted variations limit in this way, and their tests try it.",
    [
      { within: "FixedAligned*" },
      { within: "SlidingLog*" },
      { within: "SlidingCounter*" },
      { within: "TokenBucket*" },
      { within: "Gcra*" },
    ],
  ),
  ...because("reference/limits.ts", "Limits of an endpoint's own are the control protocol's.", [
    ["own?.[operation]?.concurrent", "own?.[operation].concurrent"],
  ]),
  ...because(
    "reference/limits.ts",
    "Whether a refusal for the cap counts for the window is open.",
    [["!isFull || limits.countsCapRefusals", "true"]],
  ),
  ...because(
    "reference/limits.ts",
    "A refusal changes nothing of what is in flight: the change is 0.",
    [
      { within: "Limits.enter", original: "change !== 0" },
      { within: "Limits.enter", original: "change" },
      ["gate.inFlight.count += change", "gate.inFlight.count -= change"],
      ['"cap"', '""'],
      ['"window"', '""'],
    ],
  ),
  ...because(
    "reference/limits.ts",
    "Each request counts from its beginning, and frees its place at its end.",
    [
      ["!isCounted && !isOver", "false"],
      { within: "Limits.#place.handled", original: "!isOver" },
      { within: "Limits.#place.handled", original: "inFlight.count += 1" },
      { within: "Limits.#place", original: "isCounted", replacement: "true" },
      ["isCounted && limits.freesPlace(operation, how, answered)", "true"],
      [
        "isCounted && limits.freesPlace(operation, how, answered)",
        "isCounted || limits.freesPlace(operation, how, answered)",
      ],
    ],
  ),
  ...because("reference/limits.ts", "An operation without a limit has an endless one.", [
    [
      "!Number.isFinite(base) || !limits.isCounted(operation)",
      "!Number.isFinite(base) && !limits.isCounted(operation)",
    ],
  ]),
  ...because("reference/limits.ts", "No answer empties a window.", [
    ["limits.forgetsAfter(operation, status)", "false"],
  ]),
  ...because(
    "reference/limits.ts",
    "Each operation of each endpoint has a limiter and a count of its own, all made alike.",
    [["{ operation, endpointId, nowMs }", "{}"]],
  ),
  ...because("reference/submission.ts", NO_TEXT_IS_STATED, [
    ...texts(
      "content-length is missing",
      "the body must be a JSON object",
      "input must be a JSON object",
      "content-type must be application/json",
      "wait must be an integer from 1000 to 300000",
      "webhook must be an http or https URL",
      "policy must be an object",
      "s3Config must be an object",
      "policy.executionTimeout must be an integer from 5000 to 604800000",
      "policy.ttl must be an integer from 10000 to 604800000",
      "policy.lowPriority must be a boolean",
    ),
    ["`the payload is larger than ${bytesMax} bytes`", "``"],
    ["`s3Config.${field} must be a string`", "``"],
  ]),
  ...because("reference/webhooks.ts", CLOSED_BY_CONTROL, [
    { within: "Webhooks.stop" },
    { original: "this.#isStopped", replacement: "false" },
  ]),
  ...because(
    "reference/webhooks.ts",
    "What became of the calls is told by the control protocol alone.",
    [
      { within: "Webhooks.tally" },
      { within: "Webhooks.attemptsOf" },
      { within: "Webhooks.#note", mutator: "StringLiteral" },
      { within: "Webhooks.#note", mutator: "AssignmentOperator" },
      { within: "Webhooks.#note", mutator: "ObjectLiteral" },
      { within: "Webhooks.#note", mutator: "BlockStatement" },
      { within: "Webhooks.#note.log", mutator: "ArrayDeclaration" },
      { within: "failureOf*" },
      ['"silent"', '""'],
    ],
  ),
  ...because("reference/webhooks.ts", KEPT_IN_A_FILE, [{ within: "Webhooks.#postpone*" }]),
  ...because("reference/webhooks.ts", "Which program calls is not stated.", [
    ['"queueproof-reference"', '""'],
  ]),
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
  ...because("reference/operations.ts", NO_TEXT_IS_STATED, [
    ...texts("job not found", "ttl must be a positive integer"),
    ["`job is already ${job.status}`", "``"],
    ["`only a FAILED or TIMED_OUT job can be retried, this one is ${status}`", "``"],
  ]),
  ...because("reference/operations.ts", NOT_SHOWN, [
    { within: "openAiAnswer*" },
    { within: "LISTED_JOBS_MAX" },
  ]),
  ...because("reference/answer.ts", NO_TEXT_IS_STATED, [
    { within: "titles*" },
    { within: "problem", original: '"Error"' },
  ]),
  ...because("reference/read-json.ts", NO_TEXT_IS_STATED, [
    ["`the body is nested deeper than ${JSON_DEPTH_MAX} levels`", "``"],
  ]),
  ...because("reference/http.ts", NO_TEXT_IS_STATED, [
    ...texts(
      "no such path",
      "refused on purpose",
      "endpoint not found",
      "rate limit exceeded",
      "the request broke off",
    ),
  ]),
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
  ...because(
    "reference/authentication.ts",
    "An unknown endpoint may be answered 401 as well (ENDP-01).",
    [
      ['"unknown-endpoint"', '""'],
      ["endpoint === undefined", "false"],
    ],
  ),
  ...because("reference/authentication.ts", "The reference itself permits no foreign key.", [
    ['"granted"', '""'],
  ]),
  ...because(
    "reference/authentication.ts",
    "Which of two faults is told first, the key's or the endpoint's, is not stated, nor what a key of another account learns of endpoints.",
    [
      ["!isKnownKey(key)", "false"],
      ["!isKnownKey(key)", "isKnownKey(key)"],
      ["!isKnownKey(key)", "true"],
    ],
  ),
  ...because(
    "reference/authentication.ts",
    "Without a key the one that is compared is undefined, which is nobody's: it is refused a line later.",
    [["key === undefined", "false"]],
  ),
  ...because(
    "reference/job.ts",
    "It is read only where a state file could not be written, and the suite keeps none.",
    [["false", "true"]],
  ),
  ...because(
    "reference/job.ts",
    "What a worker that died had yielded may stay in the stream: nothing is stated of it.",
    [["{ job.output = undefined; job.chunks.length = 0; job.chunksRead = 0; }", "{}"]],
  ),
  ...because("reference/record.ts", "A failed job need not say why: error is not stated.", [
    ["job.error !== undefined", "job.error === undefined"],
    ["job.error !== undefined", "true"],
    ["job.error !== undefined && { error: job.error }", "false"],
    [
      "job.error !== undefined && { error: job.error }",
      "job.error !== undefined || { error: job.error }",
    ],
    ["job.error !== undefined && { error: job.error }", "true"],
    ["{ error: job.error }", "{}"],
  ]),
  ...because("reference/record.ts", "JSON leaves out a member that is undefined.", [
    ["delayTime !== undefined", "true"],
    ["executionTime !== undefined", "true"],
  ]),
  ...because(
    "reference/stream.ts",
    "A chunk that need not be split is split into one piece that is the same.",
    [
      ["text.length <= pieceLength", "false"],
      ["text.length <= pieceLength", "text.length < pieceLength"],
    ],
  ),
  ...because(
    "reference/stream.ts",
    "A piece that holds no text, among those that hold it all: what else a stream may show is not stated.",
    [["[]", '["Stryker was here"]']],
  ),
  ...because(
    "reference/stream.ts",
    "One more piece without text, and only where the last one is full.",
    [["start < text.length", "start <= text.length"]],
  ),
  ...because("reference/stream.ts", "The conformance handler yields text alone.", [
    ['typeof first === "string"', "true"],
  ]),
  ...because(
    "reference/stream.ts",
    "The piece is a few bytes larger, and still at most 1 MB in the larger reading.",
    [["bytesMax - TEXT_FRAME_BYTES", "bytesMax + TEXT_FRAME_BYTES"]],
  ),
  ...because(
    "reference/transitions.ts",
    "A deleted job keeps its last status, and nobody can read either.",
    [
      ['"DELETED"', '""'],
      ['destination !== "DELETED"', "true"],
    ],
  ),
  ...because(
    "reference/transitions.ts",
    "How long the record of a cancelled job stays is not stated: nothing of it was completed.",
    [['"CANCELLED"', '""']],
  ),
  ...because(
    "reference/transitions.ts",
    "It says where the transition comes from, for readers of the code.",
    [
      ['"assumed"', '""'],
      ['"stated"', '""'],
    ],
  ),
  ...because(
    "reference/workers.ts",
    "The bounds of an endpoint that scales are the control protocol's, and no sentence of the API speaks of them.",
    [
      ["this.#max !== undefined", "true"],
      [
        "this.#max !== undefined && this.#total < this.#max",
        "this.#max !== undefined || this.#total < this.#max",
      ],
      ["this.#total < this.#max", "this.#total <= this.#max"],
      ["this.#total < this.#max", "true"],
    ],
  ),
  ...because("reference/workers.ts", "The larger of the two is the same either way.", [
    ["count > this.#total", "count >= this.#total"],
    ["count > this.#total", "false"],
  ]),
  ...because("reference/workers.ts", "The maximum of a plain number is undefined, too.", [
    ['"number"', '""'],
    ['typeof plan === "number"', "false"],
  ]),
  ...because("reference/workers.ts", "The plan is read by the control protocol alone.", [
    ["this.#max === undefined", "false"],
    ["this.#max === undefined", "this.#max !== undefined"],
    ["this.#max === undefined", "true"],
    ["{ min: this.#min, max: this.#max }", "{}"],
    [
      "{ return this.#max === undefined ? this.#wanted : { min: this.#min, max: this.#max }; }",
      "{}",
    ],
  ]),
  ...because("reference/workers.ts", "The suite brings no real workers in process; interop does.", [
    ["fleet !== undefined", "fleet === undefined"],
    ["fleet !== undefined", "true"],
    ["fleet !== undefined && workers.plan === AS_MANY_AS_COME", "false"],
    [
      "fleet !== undefined && workers.plan === AS_MANY_AS_COME",
      "fleet !== undefined || workers.plan === AS_MANY_AS_COME",
    ],
    ["workers.plan === AS_MANY_AS_COME", "true"],
    ["workers.plan === AS_MANY_AS_COME", "workers.plan !== AS_MANY_AS_COME"],
    ["{ workersBusy: fleet.busy, workersTotal: fleet.connected }", "{}"],
  ]),
];

const escaped: readonly Reason[] = [];

/** Why each mutant lives that is not caught. */
export const reasons: Reasons = { unseen, escaped };

function because(file: string, why: string, changes: readonly Change[]): readonly Reason[] {
  return changes.map((change) =>
    isPair(change)
      ? { file, original: change[0], replacement: change[1], why }
      : { ...change, file, why },
  );
}

/** Texts that are taken away. */
function texts(...all: readonly string[]): readonly Change[] {
  return all.map((text) => [`"${text}"`, '""']);
}

function isPair(change: Change): change is readonly [string, string] {
  return Array.isArray(change);
}
