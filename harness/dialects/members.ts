import { parseJson } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";

/** Members that a record has only in some states. The output of a completed job may be null. */
const sometimes = new Set(["output", "delayTime", "executionTime"]);

/** The object or array that a text holds as JSON; undefined where it holds none. */
export function valueInText(text: string): object | undefined {
  const value = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  return typeof value === "object" && value !== null ? value : undefined;
}

/** A record without the members that are null because it does not have them. */
export function withoutNulls(record: JsonMembers): JsonMembers {
  const isAbsent = ([name, value]: [string, unknown]): boolean =>
    value === null &&
    sometimes.has(name) &&
    !(name === "output" && record["status"] === "COMPLETED");
  return Object.fromEntries(Object.entries(record).filter((member) => !isAbsent(member)));
}
