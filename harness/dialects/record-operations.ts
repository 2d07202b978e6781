import type { OperationName } from "../../openapi/operations.ts";

/** The operations that answer with the record of a job, or with what its handler yields. */
export const ofRecords: ReadonlySet<OperationName> = new Set([
  "run",
  "runsync",
  "status",
  "stream",
  "cancel",
  "retry",
]);

/**
 * Whether what an operation answers with a status that is no success may be a record: that of status may, and that of
 * another one where it redirects. An error of theirs is a refusal.
 */
export function mayBeRecord(operation: OperationName, status: number): boolean {
  const redirects = status >= 300 && status < 400;
  return operation === "status" || (ofRecords.has(operation) && redirects);
}
