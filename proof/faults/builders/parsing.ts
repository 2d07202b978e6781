import type { SubmitOperation } from "../../../openapi/operations.ts";
import { override, withArguments, type Change } from "./member.ts";

/** Parses what `change` makes of the body of a submission. */
export function parsing(change: (text: string, operation: SubmitOperation) => string): Change {
  return withArguments("submission.parse", (text, operation) => [
    change(text, operation),
    operation,
  ]);
}

/** Parses a body that is not JSON after `repair` has made of it what a less strict parser would read. */
export function reading(repair: (text: string) => string): Change {
  return override("submission.parse", (parse) => (text, operation) => {
    try {
      return parse(text, operation);
    } catch {
      return parse(repair(text), operation);
    }
  });
}
