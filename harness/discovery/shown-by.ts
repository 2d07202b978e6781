import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { Evidence } from "../../reports/model.ts";
import { operationOf } from "../../reports/failing-evidence.ts";

/** Whether an exchange as reports show it is an answer to one of these operations with a status for which `is` holds. */
export function isAnswerTo(
  names: readonly OperationName[],
  is: (status: number) => boolean,
): (evidence: Evidence | undefined) => boolean {
  return (evidence) => {
    if (evidence === undefined || evidence.response === null) return false;
    const operation = operationOf(evidence.request);
    return operation !== undefined && names.includes(operation) && is(evidence.response.status);
  };
}

/** Whether such an exchange is a success of one of these operations. */
export function isSuccessOf(
  ...names: readonly OperationName[]
): (evidence: Evidence | undefined) => boolean {
  return isAnswerTo(names, (status) => status >= 200 && status < 300);
}

/** Whether an exchange as reports show it was answered with the record of a job in one of these states. */
export function showsState(evidence: Evidence | undefined, ...states: readonly string[]): boolean {
  const body = evidence?.response?.body;
  const state = typeof body === "string" ? valueAt(parseJson(body), "status") : undefined;
  return typeof state === "string" && states.includes(state);
}
