import type { Reason } from "../reason.ts";
import { NOT_SHOWN, NO_TEXT_IS_STATED, because, texts } from "./because.ts";

/** Of mutants that no client can see. */
export const unseen: readonly Reason[] = [
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
  ...because("reference/http.ts", NO_TEXT_IS_STATED, [
    ...texts(
      "no such path",
      "refused on purpose",
      "endpoint not found",
      "rate limit exceeded",
      "the request broke off",
    ),
  ]),
];
