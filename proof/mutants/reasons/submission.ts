import type { Reason } from "../reason.ts";
import { NO_TEXT_IS_STATED, because, texts } from "./because.ts";

/** Of mutants that no client can see. */
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
  ...because("reference/submission.ts", "A function that returns nothing returns undefined.", [
    { within: "parse", original: "{ return undefined; }" },
  ]),
  ...because("reference/submission.ts", "Whether a s3Config may lack a field is open.", [
    ["s3Config[name] !== undefined", "true"],
  ]),
  ...because("reference/submission.ts", "A value of another type has been refused before.", [
    ['typeof executionTimeout === "number"', "true"],
    ['typeof lowPriority === "boolean"', "true"],
  ]),
];

/** Of mutants that a client could see. */
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
