import { isSubmission } from "../openapi/operations.ts";
import type { Exchange } from "../client/exchange.ts";
import type { FoundMismatch } from "./expect.ts";

/**
 * Whether an answer was due that depends on the request alone: the refusal of a key or of a bad submission, or the
 * IN_QUEUE of run (RUNA-01). No worker and no moment can have changed it.
 */
export function needsNoWorker(
  { requirement, expected, isSure = false }: FoundMismatch,
  exchange: Exchange | undefined,
): boolean {
  if (isSure) return true;
  if (exchange?.answer === undefined) return false;
  if (requirement === "RUNA-01" && expected === "IN_QUEUE") return true;
  if (/^status 401\b/.test(expected)) return true;
  const { operation } = exchange;
  return isSubmission(operation) && /^(?:status 400|a refusal)\b/.test(expected);
}
