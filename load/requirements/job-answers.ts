import { parseJson } from "../../client/parse-json.ts";
import { bodyIn, valueAt } from "../../openapi/departures.ts";
import type { AnswerForm } from "../../openapi/departures.ts";
import { validators } from "../../openapi/generated/validators.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import { isAccepted } from "./tally.ts";

/** What an answer says, in the specification's terms; undefined where it is no JSON. */
export function bodyOf({ answer }: ProbeExchange, form?: AnswerForm): unknown {
  return answer === undefined ? undefined : bodyIn(parseJson(answer.body), form);
}

/** The id of the job that run answered with. */
export function idOf(exchange: ProbeExchange, form?: AnswerForm): string | undefined {
  const id = isAccepted(exchange) ? valueAt(bodyOf(exchange, form), "id") : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

export interface Submitted {
  readonly ids: readonly string[];
  /** The exchanges of submissions that were not accepted. */
  readonly others: readonly ProbeExchange[];
}

export function submittedIn(exchanges: readonly ProbeExchange[], form?: AnswerForm): Submitted {
  return {
    ids: exchanges.flatMap((each) => idOf(each, form) ?? []),
    others: exchanges.filter((each) => idOf(each, form) === undefined),
  };
}

/** How many jobs a purge has removed. */
export function removedBy(exchange: ProbeExchange, form?: AnswerForm): number {
  const body = bodyOf(exchange, form);
  return validators.PurgeAnswer(body) ? body.removed : 0;
}
