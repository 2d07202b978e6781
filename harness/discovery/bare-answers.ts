import type { Answer, Exchange } from "../../client/exchange.ts";
import { isJsonObject } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { isSuccess } from "../read.ts";
import type { Discovery } from "./discovery.ts";
import { unknownJob } from "./asker.ts";
import { meantBy } from "./members.ts";
import { isSuccessOf } from "./shown-by.ts";

/**
 * Learns that run answers an id without a state.
 * @param record what it answers, its members by their own names
 */
export function learnBareRun(
  discovery: Discovery,
  exchange: Exchange,
  { id, status }: JsonMembers,
): void {
  if (exchange.operation !== "run" || id === undefined || discovery.usualMembers.has("status"))
    return;
  if (status !== undefined) return;
  discovery.learn({
    id: "bare-run",
    topic: "answers",
    text: "run answers an id without a state",
    adapted: "read as IN_QUEUE",
    breaks: ["ENDP-05", "RUNA-01"],
    expected: "a record of id and status",
    deviations: { bareAnswers: ["run"] },
    seen: [exchange],
  });
}

/** The requirement that says what each answers, and the state that it has to tell. */
const due = {
  cancel: { breaks: "CANC-01", state: "CANCELLED" },
  retry: { breaks: "RETR-01", state: "IN_QUEUE" },
} as const;

/** Learns that cancel or retry accepts without a record: by the first that is accepted, where other answers are records. */
export function learnBare(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation, request } = exchange;
  if ((operation !== "cancel" && operation !== "retry") || answer === undefined) return;
  const hasRecords = discovery.usualMembers.has("id") || discovery.knows("members-otherwise");
  // A server that accepts what names no job of it does not answer in another form.
  if (!isSuccess(answer) || !hasRecords || request.jobId === unknownJob) return;
  if (!isBareAnswer(answer)) discovery.answersRecords.add(operation);
  if (discovery.answersRecords.has(operation)) return;
  const { breaks, state } = due[operation];
  const shown = answer.rawText() === "" ? "no body" : "no state";
  const isShown = isSuccessOf(operation);
  discovery.learn({
    id: `bare-${operation}`,
    topic: "answers",
    text: `${operation} accepts without a record: it is answered ${answer.status} with ${shown}`,
    adapted: `read as ${state}`,
    breaks: ["ENDP-05", breaks],
    expected: "a record of id and status",
    explains: ({ requirement }, evidence) => requirement === "ENDP-03" && isShown(evidence),
    deviations: { bareAnswers: [operation] },
    seen: [exchange],
  });
}

function isBareAnswer(answer: Answer): boolean {
  if (answer.rawText() === "") return true;
  const body = bodyOf(answer);
  return body.ok && isJsonObject(body.value) && isBare(body.value);
}

function isBare(body: JsonMembers): boolean {
  const isNested = Object.values(body).some((value) => typeof value === "object" && value !== null);
  const isRecord = Object.keys(body).some((name) => name === "id" || meantBy(name) !== undefined);
  return !isNested && !isRecord && body["error"] === undefined;
}
