import type { Reason } from "../reason.ts";
import {
  AFTER_ITS_END,
  DIALECT,
  KEPT_IN_A_FILE,
  NOT_SHOWN,
  NO_TEXT_IS_STATED,
  UNASKED,
  because,
  texts,
} from "./because.ts";

/** Reasons for mutants that no client can see. */
export const unseen: readonly Reason[] = [
  ...because("reference/operations.ts", NO_TEXT_IS_STATED, [
    ...texts("job not found", "ttl must be a positive integer"),
    ["`job is already ${job.status}`", "``"],
    ["`only a FAILED or TIMED_OUT job can be retried, this one is ${status}`", "``"],
  ]),
  ...because("reference/operations.ts", NOT_SHOWN, [{ within: "openAiAnswer*" }]),
  ...because("reference/answer.ts", NO_TEXT_IS_STATED, [
    { within: "titles*" },
    { within: "problem.body", original: '"Error"' },
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
  ...because("reference/http.ts", UNASKED, [
    { within: "serve.credentials.isUnknownJob" },
    ["endpoint !== undefined && behaviour.limits.comeBeforeTheKey", "false"],
    { within: "serve", unreached: true },
    { within: "serve", original: "endpoint !== undefined", replacement: "true" },
    { within: "serve", original: "endpoint !== undefined", replacement: "endpoint === undefined" },
    { within: "serveKnown", original: "{ why: place, payload }" },
    { within: "formOf*" },
    ['"answered"', '""'],
    { within: "answerInPlace.brokenOff" },
    { within: "serveKnown", original: "refusal !== undefined", replacement: "false" },
    [
      "endpoint !== undefined && !authentication.refusalLeavesUndone(operation, credentials)",
      "false",
    ],
    {
      within: "refuseForLimit",
      original: "!behaviour.limits.refusalLeavesUndone(operation, why)",
      replacement: "false",
    },
    { within: "keepBack", original: "waitMs <= 0", replacement: "true" },
    { within: "keepBack", original: "status >= 400" },
    { within: "keepBack.*" },
    { within: "keepBack", mutator: "BlockStatement" },
    { within: "keepBack", mutator: "ArithmeticOperator" },
    { within: "refuseForKey", original: "{ await perform(call, endpoint); }", replacement: "{}" },
    { within: "piecesOf*" },
    { within: "pauseFor" },
  ]),
  ...because("reference/http.ts", NOT_SHOWN, [{ within: "send", unreached: true }]),
  ...because("reference/http.ts", "An answer that is not held back waits for nothing.", [
    ["endpoint.holds.isHeld(operation)", "true"],
  ]),
  ...because(
    "reference/http.ts",
    "Who broke off is not told when the hold ends: it spares memory.",
    [["(forget) => onClosed(reply, forget)", "() => undefined"]],
  ),
  ...because("reference/http.ts", "What a body says where none is wanted is not stated.", [
    ['operation !== "run" && operation !== "runsync" && operation !== "openai"', "false"],
    ['operation !== "openai"', 'operation === "openai"'],
  ]),
  ...because("reference/http.ts", "What is not run has the size of runsync.", [
    { within: "payloadOf.limitOf", original: '"runsync"', replacement: '""' },
  ]),
  ...because(
    "reference/http.ts",
    "That an answer is written before the clock moves on is the control protocol's, and shows on a busy machine alone.",
    [
      { within: "perform.operationRequest.onDue" },
      { within: "written", original: "reply.raw.closed" },
    ],
  ),
  ...because("reference/http.ts", KEPT_IN_A_FILE, [
    { within: "answerInPlace", original: "writing !== undefined" },
  ]),
  ...because("reference/http.ts", DIALECT, [
    { within: "HOLD_MS" },
    { within: "holdMsOf", original: "holdsForMs === undefined", replacement: "true" },
    { within: "holdMsOf", original: "givenMs === undefined" },
    { within: "holdMsOf", mutator: "MethodExpression" },
    { within: "perform.operationRequest.holdMs" },
  ]),
  ...because("reference/answer.ts", NO_TEXT_IS_STATED, [
    ['titles[status] ?? "Error"', 'titles[status] && "Error"'],
  ]),
  ...because("reference/answer.ts", UNASKED, [
    ["{ operation, job, nowMs: endpoint.clock.nowMs() }", "{}"],
  ]),
  ...because("reference/answer.ts", "Who was told is not told again: it spares memory.", [
    { within: "whenTold.forget" },
  ]),
  ...because("reference/operations.ts", NOT_SHOWN, [
    {
      within: "performers.openai",
      original: 'request.endpoint.behaviour.surface.openAi === "chat"',
    },
    { within: "performers.openai", original: '"chat"' },
    { within: "listRequests", mutator: "ObjectLiteral" },
    { within: "listRequests.*" },
  ]),
  ...because("reference/operations.ts", UNASKED, [
    ["{ endpoint.submit(operation, rejected, 0); }", "{}"],
    [
      "rejected !== undefined && !behaviour.submission.refusalCreatesNoJob(detail, operation)",
      "false",
    ],
    ["rejected !== undefined", "true"],
    ["rejected !== undefined", "rejected === undefined"],
    { within: "whenEnded.*" },
    ["isWaiting", "false"],
    ["{ isWaiting = false; }", "{}"],
    { within: "answerSubmission", original: 'job.status === "FAILED"' },
    { within: "answerSubmission", original: '"FAILED"' },
    ['{ operation: "status", job, nowMs: endpoint.clock.nowMs() }', "{}"],
    ['{ operation: "stream", job, nowMs: endpoint.clock.nowMs() }', "{}"],
    { within: "takeChunks.operation" },
    ["operations.workersFreedBesides(job, wasAccepted)", "false"],
    ["{ if (isWaiting) befall(operations.brokenOffEvent(job)); }", "{}"],
    { within: "whenEnded", original: "isWaiting", replacement: "true" },
    { within: "whenEnded", original: "false", replacement: "true" },
    ["() => befall(operations.waitOverEvent(job))", "() => undefined"],
    { within: "readStatus.answer.*", original: '"status"', replacement: '""' },
  ]),
  ...because(
    "reference/operations.ts",
    "What runsync answers whose job is deleted while it waits is open, but for COMPLETED.",
    [{ within: "answerSubmission", original: "job.isDeleted", replacement: "false" }],
  ),
  ...because("reference/operations.ts", AFTER_ITS_END, [
    ["endsAtMs !== undefined && !isFinal(job.status)", "true"],
    ["endsAtMs !== undefined", "true"],
    [
      "endsAtMs !== undefined && !isFinal(job.status)",
      "endsAtMs !== undefined || !isFinal(job.status)",
    ],
  ]),
  ...because(
    "reference/operations.ts",
    "A failed job without a status is answered 500, which SYNC-10 accepts.",
    [{ within: "answerSubmission", mutator: "ObjectLiteral", replacement: "{}" }],
  ),
  ...because("reference/operations.ts", DIALECT, [
    { within: "readStatus.answer", original: "job.isDeleted", replacement: "false" },
    { within: "readStream.hasNews", mutator: "LogicalOperator" },
    ["request.holdMs === 0 || isFinal(job.status)", "true"],
    ["isFinal(job.status) || job.chunks.length > job.chunksRead", "true"],
    ["isFinal(job.status) || job.chunks.length > job.chunksRead", "false"],
    { within: "readStream.hasNews", original: "job.chunks.length > job.chunksRead" },
    ["hasNews || request.holdMs === 0", "true"],
    ["() => job.isDeleted ? unknownJob(request) : takeChunks(request, job)", "() => undefined"],
  ]),
  ...because("reference/operations.ts", "What the metrics of a chunk say is the worker's.", [
    ["firstIndex + at", "firstIndex - at"],
  ]),
  ...because("reference/operations.ts", KEPT_IN_A_FILE, [
    { within: "takeChunks", original: "elements.length > 0" },
  ]),
  ...because(
    "reference/operations.ts",
    "What cancel answers of a finished job is open (CANC-06).",
    [
      ["!wasAccepted", "false"],
      { within: "refuseCancel", original: "status < 400" },
      { within: "refuseCancel", mutator: "ObjectLiteral" },
    ],
  ),
  ...because("reference/http.ts", UNASKED, [
    { within: "refuseForKey", original: "endpoint !== undefined" },
    { within: "isChunked" },
    { within: "send", original: "events !== undefined", replacement: "false" },
    { within: "send", original: "body === undefined", replacement: "false" },
    { within: "send", original: "pieceLength === undefined", replacement: "true" },
  ]),
  ...because("reference/http.ts", "Which refused requests count for a limit is open.", [
    [
      "endpoint !== undefined && behaviour.limits.comeBeforeTheKey",
      "endpoint !== undefined || behaviour.limits.comeBeforeTheKey",
    ],
  ]),
  ...because("reference/http.ts", "A request to no endpoint is never granted.", [
    { within: "serve", original: "endpoint === undefined", replacement: "false" },
  ]),
  ...because("reference/http.ts", NOT_SHOWN, [
    { within: "payloadOf", original: 'operation !== "openai"', replacement: "true" },
    { within: "payloadOf", original: '"openai"' },
    { within: "perform.operationRequest.path" },
  ]),
  ...because("reference/http.ts", "Who broke off reads no answer.", [
    { within: "perform", original: 'payload?.kind === "broken-off"', replacement: "false" },
    { within: "perform", original: '"broken-off"' },
  ]),
  ...because("reference/http.ts", "It is asked only where the path has a job.", [
    { within: "perform.operationRequest.jobId", original: '""' },
  ]),
  ...because("reference/http.ts", "Whether another content type is refused is open.", [
    { within: "perform.operationRequest.contentType" },
  ]),
  ...because("reference/http.ts", UNASKED, [{ within: "serveKnown", unreached: true }]),
  ...because("reference/http.ts", "The hook before the handler has answered.", [
    { within: "serveJobApi.handler" },
  ]),
  ...because(
    "reference/http.ts",
    "An unknown endpoint may be answered 401 as well (ENDP-01), and which of two faults is told first is not stated.",
    [
      { within: "serve.credentials.isKnownKey" },
      ['{ endpoint, credentials, isKnown: admission !== "unauthorized" }', "{}"],
      { within: "serve.isKnown", original: 'admission !== "unauthorized"', replacement: "false" },
    ],
  ),
];

/** Reasons for mutants that a client could see. */
export const escaped: readonly Reason[] = [
  ...because("reference/http.ts", "No requirement is of a path that no operation has.", [
    {
      within: "serveJobApi",
      original:
        '(_request, reply) => send(reply, undefined, problem(service.behaviour, 404, "no such path"), service.behaviour)',
      replacement: "() => undefined",
    },
  ]),
  ...because(
    "reference/http.ts",
    "No check sends what the framework refuses by itself, such as a URL that cannot be decoded.",
    [
      { within: "serveJobApi", mutator: "BlockStatement", unreached: true },
      { within: "serveJobApi.status" },
    ],
  ),
];
