import type { Answer, Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { askedUnder } from "../dialects/record-operations.ts";
import { mayBeRecord } from "../dialects/record-operations.ts";
import type { Deviations } from "../dialects/schema.ts";
import { isSuccess } from "../read.ts";
import { isLooseRecord, jobStates } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import { unknownJob } from "./asker.ts";
import type { Discovery } from "./discovery.ts";
import { isAnswerTo, isSuccessOf } from "./shown-by.ts";
import { isJsonObject, markFlaw } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import { meantBy } from "./members.ts";

/** What says that there is no such job (400 and 404, STAT-10 and POLI-14), or that it may not be asked for, whatever the body holds. */
const ofRefusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 429]);

/**
 * Learns that an operation answers with the record of the job, and with an HTTP status that is no success: that of a
 * failed job is an error to some, and an accepted one is to be seen elsewhere (303) for others.
 * @param given what the dialect says already: that is tolerated, and no cause
 */
export function learnRecordStatus(
  discovery: Discovery,
  exchange: Exchange,
  { recordStatuses = [] }: Deviations = {},
): void {
  const { answer, operation, request } = exchange;
  if (answer === undefined) return;
  const record = recordOutsideSuccess(operation, answer);
  if (record === undefined || (request.jobId ?? record.id) !== record.id) return;
  const { status } = answer;
  if (recordStatuses.includes(status)) return;
  const isSame = isAnswerTo([operation], (seen) => seen === status);
  discovery.learn({
    id: `record-with-${status}`,
    topic: "records",
    text: `${operation} answers ${status} with the record of a job that is ${record.status}`,
    adapted: "read as a success",
    breaks: [askedUnder[operation]],
    expected: "a success with the record of the job",
    explains: (_, evidence) => isSame(evidence),
    deviations: { recordStatuses: [status] },
    seen: [exchange],
  });
}

function recordOutsideSuccess(operation: OperationName, answer: Answer): LooseRecord | undefined {
  const { status } = answer;
  const mayBe = !isSuccess(answer) && !ofRefusals.has(status) && mayBeRecord(operation, status);
  const body = mayBe ? bodyOf(answer) : undefined;
  if (body?.ok !== true || !isLooseRecord(body.value)) return undefined;
  return jobStates.includes(body.value.status) ? body.value : undefined;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Learns that status redirects to elsewhere where it has to tell how a job is, as the result of a finished one. */
export function learnStatusRedirect(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation, request } = exchange;
  const isOfJob = operation === "status" && (request.jobId ?? unknownJob) !== unknownJob;
  if (!isOfJob || answer === undefined || !redirects.has(answer.status)) return;
  const location = answer.headers["location"];
  if (location === undefined || !URL.canParse(location, request.url)) return;
  const [from, to] = [request.url, new URL(location, request.url).href].map(barePathOf);
  // The same path of another scheme or host is that of a gateway in front.
  if (from === to) return;
  discovery.learn({
    id: "status-redirects",
    topic: "records",
    text: `status redirects in place of telling how a job is: it answers ${answer.status}`,
    adapted: "not followed: what reads jobs is not run",
    breaks: ["STAT-01"],
    expected: "the record of the job",
    excuses: (_, evidence) => isRedirect(evidence),
    excusesReason: (reason) => reason.includes(`status answered ${answer.status}`),
    deviations: { lacks: ["status"] },
    seen: [exchange],
  });
}

const isRedirect = isAnswerTo(["status"], (status) => redirects.has(status));

/** The path of a URL without a slash at its end. */
function barePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, "");
}

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

/** Learns that bodies begin with a byte order mark, which nobody may send and a reader may pass over (RFC 8259, 8.1). */
export function learnByteOrderMark(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation } = exchange;
  if (answer === undefined || !isSuccess(answer)) return;
  const body = bodyOf(answer);
  if (!body.ok || body.flaw !== markFlaw) return;
  discovery.learn({
    id: "byte-order-mark",
    topic: "answers",
    text: `bodies begin with a byte order mark, as that of ${operation} does`,
    adapted: "read without it",
    breaks: ["ENDP-03"],
    expected: "a JSON body, without a byte order mark",
    explains: ({ got }) => got.endsWith(markFlaw),
    seen: [exchange],
  });
}

/** An integer beyond 2^53 that no double holds: the nearest ones are its neighbours. */
export const largeInteger = "9007199254740993";

/** The id of the cause that such integers come back changed. */
export const largeIntegersId = "large-integers-rounded";

/** The nearest doubles, as they are written. */
const roundedInteger = /\b(?:900719925474099[24](?:\.0)?|9\.00719925474099[24]e\+?15)\b/i;

/** Longer than the record of a job that gives such a number back. */
const recordCharactersMax = 2000;

/**
 * Learns that integers beyond 2^53 come back changed. Whether they may is not stated, and JSON leaves it to who reads it
 * (RFC 8259, 6), so that it breaks nothing. What is compared is the text: parsed, both numbers are the same.
 */
export function learnLargeIntegers(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation } = exchange;
  if (answer === undefined || answer.characters > recordCharactersMax || !isSuccess(answer)) return;
  const [got] = roundedInteger.exec(answer.rawText()) ?? [];
  if (got === undefined) return;
  discovery.learn({
    id: largeIntegersId,
    topic: "answers",
    text: `integers beyond 2^53 are rounded: ${largeInteger} came back as ${got} in the answer of ${operation}`,
    expected: largeInteger,
    got,
    seen: [exchange],
  });
}
