import type { Redactor } from "../client/redactor.ts";

/** The members of results, events and facts that hold words of this program, whatever a target answers. */
const ours: ReadonlySet<string> = new Set([
  "capabilities",
  "cause",
  "causes",
  "check",
  "covers",
  "engine",
  "id",
  "method",
  "name",
  "needs",
  "operation",
  "requirement",
  "requirements",
  "title",
  "topic",
  "type",
  "verdict",
]);

/**
 * What leaves a run: an event, or all that it found. Everything that is printed or written passes here, so that no secret
 * of the target's is in it, whatever a check or a watch of the target has put into a text.
 */
export function leaving<Value>(value: Value, redactor: Redactor | undefined): Value {
  return redactor === undefined ? value : redactor.redactAll(value, ours);
}
