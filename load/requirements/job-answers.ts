import { parseJson } from "../../client/index.ts";
import { validators } from "../../openapi/index.ts";
import type { Shot } from "../probe/connection.ts";

/** The id of the job that run answered with. */
export function idOf({ answer }: Shot): string | undefined {
  const body = answer === undefined ? undefined : parseJson(answer.body);
  return validators.RunAnswer(body) ? body.id : undefined;
}

/** Whether a purge has removed jobs. */
export function hasEmptied(shot: Shot): boolean {
  return removedBy(shot) > 0;
}

/** How many jobs a purge has removed. */
export function removedBy({ answer }: Shot): number {
  const body = answer === undefined ? undefined : parseJson(answer.body);
  return validators.PurgeAnswer(body) ? body.removed : 0;
}
