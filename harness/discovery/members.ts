import type { Exchange } from "../../client/exchange.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import { validators } from "../../openapi/generated/validators.ts";
import { answerSchema } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { askedUnder, withoutNulls } from "../dialects/record-operations.ts";
import { withUsualNames } from "../../openapi/departures.ts";
import type { Deviations, RecordMember } from "../dialects/schema.ts";
import { show } from "../show.ts";
import type { Discovery } from "./discovery.ts";
import type { JobStatus } from "../../openapi/schemas.ts";

/** The names that others have for the members of a record, in small letters without what joins their words. */
const synonyms: Readonly<Record<string, RecordMember>> = {
  jobid: "id",
  taskid: "id",
  requestid: "id",
  uuid: "id",
  state: "status",
  jobstatus: "status",
  result: "output",
  results: "output",
  delaytime: "delayTime",
  queuetime: "delayTime",
  executiontime: "executionTime",
};

const otherMembers = "members-otherwise";

/**
 * Learns from a record, as it came, that members have other names, and that those which it has not are there as null.
 * A server does so in every record: what one operation or state alone shows is a fault of its own.
 * @returns the record as it is read then
 */
export function learnMembers(
  discovery: Discovery,
  exchange: Exchange,
  record: JsonMembers,
  given: Deviations,
): JsonMembers {
  const read = (): JsonMembers =>
    withUsualNames(record, { ...given.members, ...namesIn(discovery) });
  const before = read();
  for (const name of expectedIn(exchange, before)) {
    if (Object.hasOwn(record, name)) discovery.usualMembers.add(name);
    else if (!Object.hasOwn(before, name) && !discovery.usualMembers.has(name)) {
      learnName(discovery, exchange, record, name);
    }
  }
  const named = read();
  if (given.nullMembers !== true) learnNulls(discovery, exchange, named);
  return named;
}

/** The names of members that were learned so far. */
function namesIn({ learned }: Discovery): Deviations["members"] {
  return learned.find(({ id }) => id === otherMembers)?.deviations?.members;
}

/** The members that a record of its state has to have. */
function expectedIn({ operation }: Exchange, record: JsonMembers): readonly RecordMember[] {
  const own: RecordMember[] = operation === "run" ? ["id", "status"] : [];
  const state = typeof record["status"] === "string" ? stateOf(record["status"]) : undefined;
  if (operation !== "status" || state === undefined) return own;
  return state === "COMPLETED" ? ["output", "delayTime", "executionTime"] : own;
}

function learnName(
  discovery: Discovery,
  exchange: Exchange,
  record: JsonMembers,
  name: RecordMember,
): void {
  const shown = Object.keys(record).find((each) => meantBy(each) === name);
  if (shown === undefined) return;
  discovery.learn({
    id: otherMembers,
    topic: "records",
    text: `members of records have other names: ${show(shown)} for ${name}`,
    adapted: "read as those that they mean",
    deviations: { members: { [shown]: name } },
    breaks: brokenBy(exchange, record, ownOf[name] ?? askedUnder[exchange.operation]),
    expected: `the member ${name}`,
    seen: [exchange],
  });
}

/** The requirement that a record without the member breaks; absent: that of its operation. */
const ownOf: { readonly [Name in RecordMember]?: RequirementId } = {
  output: "STAT-02",
  delayTime: "STAT-03",
  executionTime: "STAT-03",
};

/** The member that a name means which others have for it. */
export function meantBy(name: string): RecordMember | undefined {
  const plain = name.toLowerCase().replaceAll(/[_-]/g, "");
  return Object.hasOwn(synonyms, plain) ? synonyms[plain] : undefined;
}

/** Before its end a record has no output, and perhaps no times: one that has them as null has all of them so. */
function learnNulls(discovery: Discovery, exchange: Exchange, record: JsonMembers): void {
  const { status } = record;
  const state = typeof status === "string" ? stateOf(status) : undefined;
  if (state !== "IN_QUEUE" && state !== "IN_PROGRESS") return;
  const kept = withoutNulls(record);
  const nulls = Object.keys(record).filter((name) => !Object.hasOwn(kept, name));
  if (nulls.length === 0) return;
  const own = nulls.includes("output") ? "STAT-02" : undefined;
  discovery.learn({
    id: "null-members",
    topic: "records",
    text: `what a record has not yet is there as null: ${nulls.join(", ")}`,
    adapted: "read as absent",
    deviations: { nullMembers: true },
    breaks: brokenBy(exchange, record, own),
    expected: "a record without the members that it has not yet",
    seen: [exchange],
  });
}

/** What such a record breaks: its own requirement, and that bodies are valid, where this one is not. */
function brokenBy(
  { operation }: Exchange,
  record: JsonMembers,
  own: RequirementId | undefined,
): readonly RequirementId[] {
  const isValid = validators[answerSchema[operation]](record);
  return [...(isValid ? [] : (["ENDP-05"] as const)), ...(own === undefined ? [] : [own])];
}

/** The words that others have for the states, and the states themselves, which may come in other letters. */
const stateSynonyms: Readonly<Record<string, JobStatus>> = {
  IN_QUEUE: "IN_QUEUE",
  IN_PROGRESS: "IN_PROGRESS",
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  TIMED_OUT: "TIMED_OUT",
  CANCELLED: "CANCELLED",
  QUEUED: "IN_QUEUE",
  PENDING: "IN_QUEUE",
  WAITING: "IN_QUEUE",
  SUBMITTED: "IN_QUEUE",
  RUNNING: "IN_PROGRESS",
  PROCESSING: "IN_PROGRESS",
  STARTED: "IN_PROGRESS",
  SUCCESS: "COMPLETED",
  SUCCEEDED: "COMPLETED",
  DONE: "COMPLETED",
  FINISHED: "COMPLETED",
  COMPLETE: "COMPLETED",
  ERROR: "FAILED",
  CANCELED: "CANCELLED",
  TIMEOUT: "TIMED_OUT",
};

/** The state that a word means: in other letters, or one that others use. */
export function stateOf(word: string): JobStatus | undefined {
  if (Object.hasOwn(stateSynonyms, word)) return stateSynonyms[word];
  const usual = word
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .replaceAll(/[ -]/g, "_");
  return stateSynonyms[usual];
}
