import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";

/** The operations that answer with the record of a job. */
export const recordOperations: ReadonlySet<OperationName> = new Set([
  "run",
  "runsync",
  "status",
  "cancel",
  "retry",
]);

/** Those, and the one that answers with what the handler of a job yields. */
export const ofRecords: ReadonlySet<OperationName> = new Set([...recordOperations, "stream"]);

/**
 * Whether what an operation answers with a status that is no success may be a record: that of status may, and that of
 * another one where it redirects. An error of theirs is a refusal.
 */
export function mayBeRecord(operation: OperationName, status: number): boolean {
  const redirects = status >= 300 && status < 400;
  return operation === "status" || (ofRecords.has(operation) && redirects);
}

/** The requirement that a service departs from when an operation has to be called in another way. */
export const askedUnder: { readonly [Name in OperationName]: RequirementId } = {
  run: "RUNA-01",
  runsync: "SYNC-01",
  status: "STAT-01",
  stream: "STRM-01",
  cancel: "CANC-01",
  retry: "RETR-01",
  "purge-queue": "PURG-01",
  health: "HLTH-01",
  openai: "RATE-07",
  requests: "RATE-08",
};

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

/** Whether an element of a stream has an output and no metrics. */
export function lacksMetrics(element: unknown): element is JsonMembers {
  return isJsonObject(element) && "output" in element && !("metrics" in element);
}
