import type { Exchange } from "../client/index.ts";
import type { FoundMismatch } from "./expect.ts";

/**
 * Whether a refusal was due that depends on the request alone, that of a key or of a bad submission: no worker and no
 * moment can have changed the answer.
 */
export function needsNoWorker(
  { expected }: FoundMismatch,
  exchange: Exchange | undefined,
): boolean {
  if (exchange?.answer === undefined) return false;
  if (/^status 401\b/.test(expected)) return true;
  const { operation } = exchange;
  const isSubmission = operation === "run" || operation === "runsync";
  return isSubmission && /^(?:status 400|a refusal)\b/.test(expected);
}
