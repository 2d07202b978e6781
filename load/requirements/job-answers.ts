import { parseJson } from "../../client/parse-json.ts";
import { validators } from "../../openapi/generated/validators.ts";
import type { ProbeExchange } from "../probe/connection.ts";

/** The id of the job that run answered with. */
export function idOf({ answer }: ProbeExchange): string | undefined {
  const body = answer === undefined ? undefined : parseJson(answer.body);
  return validators.RunAnswer(body) ? body.id : undefined;
}

/** Whether a purge has removed jobs. */
export function hasEmptied(exchange: ProbeExchange): boolean {
  return removedBy(exchange) > 0;
}

/** How many jobs a purge has removed. */
export function removedBy({ answer }: ProbeExchange): number {
  const body = answer === undefined ? undefined : parseJson(answer.body);
  return validators.PurgeAnswer(body) ? body.removed : 0;
}
