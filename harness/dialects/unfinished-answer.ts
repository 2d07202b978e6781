import type { Answer } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { valueAt } from "../../openapi/departures.ts";
import type { AnswerRead } from "./normalise.ts";

/** The answer of a runsync whose wait is over, which tells the job by its id alone: of one that is at work. */
export function readAsUnfinished(answer: Answer): AnswerRead {
  const body = bodyOf(answer);
  const id = body.ok ? valueAt(body.value, "id") : undefined;
  if (typeof id !== "string") return { changes: [] };
  const content = {
    operation: "runsync",
    status: 200,
    body: { id, status: "IN_PROGRESS" },
  } as const;
  const what = `runsync answers ${answer.status} when its wait is over: read as an unfinished job`;
  return { content, changes: [{ content, requirement: "SYNC-04", what }] };
}
