import type { Reason } from "../reason.ts";
import { NOTHING_IS_UNDEFINED, NO_TEXT_IS_STATED, TOO_DEEP, because, texts } from "./because.ts";

/** Reasons for mutants that no client can see. */
export const unseen: readonly Reason[] = [
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
  ...because("reference/read-json.ts", NO_TEXT_IS_STATED, [
    ["`the body is nested deeper than ${JSON_DEPTH_MAX} levels`", "``"],
  ]),
  ...because("reference/submission.ts", "Whether a body without its length is refused is open.", [
    {
      within: "readSubmission",
      original: "isChunked && rules.demandsLength(operation)",
      replacement: "false",
    },
    ["isChunked && rules.demandsLength(operation)", "isChunked || rules.demandsLength(operation)"],
    ['{ return { problem: "content-length is missing", status: 411 }; }', "{}"],
    ['{ problem: "content-length is missing", status: 411 }', "{}"],
  ]),
  ...because("reference/submission.ts", "Whether another content type is refused is open.", [
    ["!rules.acceptsContentType(contentType, operation)", "false"],
    ['{ return "content-type must be application/json"; }', "{}"],
  ]),
  ...because("reference/submission.ts", "What wait means to run, which has none, is not stated.", [
    { within: "readSubmission.givenMs", original: 'operation === "runsync"', replacement: "true" },
    { within: "problemAround", original: 'operation === "runsync"', replacement: "true" },
  ]),
  ...because("reference/submission.ts", NOTHING_IS_UNDEFINED, [
    { within: "parse", original: "{ return undefined; }" },
  ]),
  ...because("reference/submission.ts", "Whether a s3Config may lack a field is open.", [
    ["s3Config[name] !== undefined", "true"],
  ]),
  ...because("reference/submission.ts", "A value of another type has been refused before.", [
    ['typeof executionTimeout === "number"', "true"],
    ['typeof lowPriority === "boolean"', "true"],
    ['typeof webhook === "string"', "true"],
    ['typeof ttl === "number"', "true"],
  ]),
  ...because("reference/submission.ts", "Whether text that is no UTF-8 is refused is open.", [
    { within: "utf8*" },
  ]),
  ...because(
    "reference/read-body.ts",
    "A payload that is far too large is refused once it was read.",
    [["announcedBytes > bytesMax + DISCARDED_BYTES_MAX", "false"]],
  ),
  ...because("reference/read-json.ts", TOO_DEEP, [
    { within: "isTooDeep" },
    ["isTooDeep(body)", "false"],
  ]),
  ...because("reference/read-json.ts", NO_TEXT_IS_STATED, [
    { within: "readJson", original: '{ throw new Error("the body is not JSON"); }' },
    ['"the body is not JSON"', '""'],
  ]),
  ...because(
    "reference/read-body.ts",
    "A submission without a body, or with one that was dropped, is refused with 400 either way.",
    [{ within: "empty*" }, ["bytes > bytesMax", "false"]],
  ),
  ...because("reference/read-body.ts", "A message is not complete before its body was read.", [
    ["message.readableLength === 0", "true"],
    ["message.readableLength === 0", "message.readableLength !== 0"],
    ["message.complete && message.readableLength === 0", "false"],
  ]),
  ...because(
    "reference/read-body.ts",
    "How much of a body that is too large is read is not stated.",
    [
      [
        "announcedBytes > bytesMax + DISCARDED_BYTES_MAX",
        "announcedBytes >= bytesMax + DISCARDED_BYTES_MAX",
      ],
      ["bytes > bytesMax + DISCARDED_BYTES_MAX", "bytes >= bytesMax + DISCARDED_BYTES_MAX"],
      ["bytes > bytesMax + DISCARDED_BYTES_MAX", "false"],
    ],
  ),
  ...because(
    "reference/read-body.ts",
    "Whether a body of exactly 10,485,760 bytes is too large is open, and so of twice as many.",
    [
      ["announcedBytes > bytesMax", "announcedBytes >= bytesMax"],
      ["bytes <= bytesMax", "bytes < bytesMax"],
      ["bytes > bytesMax", "bytes >= bytesMax"],
    ],
  ),
  ...because("reference/read-body.ts", "It spares memory.", [
    { within: "readBody.announcedBytes", original: '"content-length"' },
    ["announcedBytes > bytesMax", "false"],
    ["bytes <= bytesMax", "true"],
    ["kept === undefined || bytes > bytesMax", "kept === undefined && bytes > bytesMax"],
    ["kept === undefined", "false"],
    ["announcedBytes < WHOLE_BYTES_MIN", "true"],
    ["announcedBytes < WHOLE_BYTES_MIN", "announcedBytes <= WHOLE_BYTES_MIN"],
    { within: "keepingParts.drop" },
    { within: "keepingParts.taken", mutator: "ArrayDeclaration" },
    { within: "keepingWhole.drop" },
    ["parts.length === 1 && only !== undefined", "false"],
    { within: "keepingParts.taken.whole", original: "only !== undefined" },
  ]),
  ...because(
    "reference/read-body.ts",
    "Whatever was not read to its end is refused as too large.",
    [
      ['{ kind: "too-large" }', "{}"],
      ['"too-large"', '""'],
    ],
  ),
  ...because("reference/read-body.ts", "Who broke off reads no answer.", [
    ['{ kind: "broken-off" }', "{}"],
    ['"broken-off"', '""'],
    ['"error"', '""'],
    ['"close"', '""'],
    ['() => resolve({ kind: "broken-off" })', "() => undefined"],
  ]),
];

/** Reasons for mutants that a client could see. */
export const escaped: readonly Reason[] = [
  ...because(
    "reference/submission.ts",
    "No requirement of the catalogue is of a policy that is no object.",
    [
      ["policy !== undefined && !rules.acceptsPolicy(policy, operation)", "false"],
      ['{ return "policy must be an object"; }', "{}"],
    ],
  ),
];
