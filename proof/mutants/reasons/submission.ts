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
];
