import { isJsonObject } from "../../client/parse-json.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { isSuccess } from "../read.ts";
import type { TimelineEvent } from "../../reports/model.ts";

/** What an exchange tells of a job; without a kind it tells of none. */
export interface Sighting {
  readonly kind?: TimelineEvent["kind"];
  readonly id?: string;
  /** The state that a record showed. */
  readonly status?: string;
  readonly text: string;
}

const kinds: Readonly<Partial<Record<OperationName, TimelineEvent["kind"]>>> = {
  run: "submit",
  runsync: "submit",
  status: "read",
  stream: "read",
  cancel: "cancel",
  retry: "retry",
  "purge-queue": "purge",
};

/** What an exchange tells of a job, with a text for the timeline. */
export function sightingOf({ operation, request, answer, failure }: Exchange): Sighting {
  const kind = kinds[operation];
  const about = { ...(kind !== undefined && { kind }) };
  if (answer === undefined) {
    const text = `${operation}: no answer (${failure?.message ?? "none came"})`;
    return { ...about, ...idOf(request.jobId), text };
  }
  const text = `${operation}: ${answer.status}`;
  const record = isSuccess(answer) && operation !== "purge-queue" ? recordIn(answer) : {};
  const id = request.jobId ?? record.id;
  return {
    ...about,
    ...idOf(id),
    ...(record.status !== undefined && { status: record.status }),
    text: record.status === undefined ? text : `${text} ${record.status}`,
  };
}

function idOf(id: string | undefined): { readonly id?: string } {
  return id === undefined ? {} : { id };
}

function recordIn(answer: NonNullable<Exchange["answer"]>): { id?: string; status?: string } {
  const parsed = bodyOf(answer);
  const { id, status } = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  return {
    ...(typeof id === "string" && { id }),
    ...(typeof status === "string" && { status }),
  };
}
