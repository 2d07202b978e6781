import type { OperationName } from "../../openapi/operations.ts";
import { finalStates, isLooseRecord } from "../record.ts";
import { withUsualNames, valueAt } from "../../openapi/departures.ts";
import {
  askedUnder,
  lacksMetrics,
  mayBeRecord,
  ofRecords,
  withoutNulls,
} from "./record-operations.ts";
import type { AnswerRead, Content, Normalised, NormalisedChange } from "./content.ts";
import type { Deviations } from "./schema.ts";
import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import type { Answer } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";

/** What is to be put in place of one kind of deviation. */
type Change = NormalisedChange & Partial<Pick<Content, "status" | "body">>;

/** Undoes one kind of deviation; `undefined` where a content does not show it. */
type Step = (content: Content, deviations: Deviations) => Change | undefined;

/** The same for what only records show: those of a success of an operation that answers with one. */
type RecordStep = (
  record: JsonMembers,
  deviations: Deviations,
  operation: OperationName,
) => Change | undefined;

function ofRecord(step: RecordStep): Step {
  return ({ operation, status, body }, deviations) => {
    const isSuccess = status >= 200 && status < 300;
    if (!isSuccess || !ofRecords.has(operation) || !isJsonObject(body)) return undefined;
    return step(body, deviations, operation);
  };
}

/** Each step sees what the ones before it left. */
const steps: readonly Step[] = [
  inEnvelope,
  ofRecord(otherMembers),
  recordStatus,
  bareAnswer,
  ofRecord(numericId),
  ofRecord(errorRecord),
  streamMember,
  streamMetrics,
  ofRecord(otherState),
  ofRecord(nullMembers),
  ofRecord(outputInText),
  ofRecord(wrappedOutput),
  ofRecord(initialStatus),
  ofRecord(earlyOutput),
  ofRecord(missingTimes),
];

/** The steps that hold for a record wherever it stands, in the body of a webhook as well. */
const shapeSteps: readonly Step[] = [
  inEnvelope,
  ofRecord(otherMembers),
  ofRecord(numericId),
  ofRecord(otherState),
  ofRecord(nullMembers),
  ofRecord(outputInText),
  ofRecord(wrappedOutput),
];

/** Returns the record of a webhook's body in the specification's terms, and every change that this took. */
export function normaliseShape(
  body: unknown,
  deviations: Deviations,
): { readonly content: unknown; readonly changes: readonly NormalisedChange[] } {
  const { content, changes } = undoneBy(
    { operation: "status", status: 200, body },
    deviations,
    shapeSteps,
  );
  return { content: content.body, changes };
}

/** Returns a content in the specification's terms, and every change that this took. */
export function normalise(content: Content, deviations: Deviations): Normalised {
  return undoneBy(content, deviations, steps);
}

function undoneBy(content: Content, deviations: Deviations, by: readonly Step[]): Normalised {
  const { operation, jobId } = content;
  const changes: NormalisedChange[] = [];
  let current = content;
  for (const step of by) {
    const change = step(current, deviations);
    if (change === undefined) continue;
    const { requirement, what, status = current.status, body = current.body } = change;
    changes.push({ requirement, what });
    current = { operation, jobId, status, body };
  }
  return { content: current, changes };
}

function inEnvelope(content: Content, { envelope }: Deviations): Change | undefined {
  const { body } = content;
  if (envelope === undefined || !isJsonObject(body)) return undefined;
  const isRecord = Object.hasOwn(body, "id") && Object.hasOwn(body, "status");
  const inside = isRecord ? undefined : body[envelope];
  if (typeof inside !== "object" || inside === null) return undefined;
  return {
    body: inside,
    requirement: "ENDP-05",
    what: `what an operation answers stands in the member ${envelope} of its body`,
  };
}

function otherMembers(record: JsonMembers, { members = {} }: Deviations): Change | undefined {
  if (!Object.keys(members).some((name) => Object.hasOwn(record, name))) {
    return undefined;
  }
  return {
    body: withUsualNames(record, members),
    requirement: "ENDP-05",
    what: `members of records have other names: ${Object.keys(members).join(", ")}`,
  };
}

function recordStatus(content: Content, { recordStatuses = [] }: Deviations): Change | undefined {
  const { operation, status, body } = content;
  const isOther = mayBeRecord(operation, status) && recordStatuses.includes(status);
  if (!isOther || !isLooseRecord(body)) return undefined;
  return {
    status: 200,
    requirement: askedUnder[operation],
    what: `${operation} answers ${status} with the record of a job: read as a success`,
  };
}

/** What an operation has done that accepts without a record, and what it breaks. */
const done = {
  run: { state: "IN_QUEUE", requirement: "RUNA-01" },
  cancel: { state: "CANCELLED", requirement: "CANC-01" },
  retry: { state: "IN_QUEUE", requirement: "RETR-01" },
} as const;

function bareAnswer(content: Content, { bareAnswers = [] }: Deviations): Change | undefined {
  const { operation, status, body, jobId } = content;
  const bare = bareAnswers.find((name) => name === operation);
  const record = isJsonObject(body) ? body : {};
  if (bare === undefined || status < 200 || status >= 300) return undefined;
  if (record["status"] !== undefined || record["error"] !== undefined) return undefined;
  const { state, requirement } = done[bare];
  const due = bare === "run" ? { status: state } : { id: jobId, status: state };
  return {
    status: 200,
    body: { ...record, ...due },
    requirement,
    what: `${bare} answers without a state: read as ${state}`,
  };
}

function nullMembers(record: JsonMembers, { nullMembers: isNull }: Deviations): Change | undefined {
  if (isNull !== true) return undefined;
  const body = withoutNulls(record);
  if (Object.keys(body).length === Object.keys(record).length) return undefined;
  return {
    body,
    requirement: "STAT-02",
    what: "what a record has not is there as null: read as absent",
  };
}

function outputInText(record: JsonMembers, { outputsInText }: Deviations): Change | undefined {
  const text = record["output"];
  if (outputsInText !== true || typeof text !== "string") return undefined;
  // Whatever has no members was made a text as well; what is no JSON was a text before.
  const value = parseJson(text);
  const output = value === undefined ? text : value;
  return {
    body: { ...record, output },
    requirement: "ENDP-05",
    what: "output is JSON as a text: read as the value that it holds",
  };
}

function wrappedOutput(record: JsonMembers, { outputMember }: Deviations): Change | undefined {
  const output = outputMember === undefined ? undefined : valueAt(record["output"], outputMember);
  if (output === undefined) return undefined;
  return {
    body: { ...record, output },
    requirement: "STAT-02",
    what: "an output stands in a member of its own: read from there",
  };
}

function numericId(record: JsonMembers, { numericIds }: Deviations): Change | undefined {
  if (numericIds !== true || typeof record["id"] !== "number") return undefined;
  return {
    body: { ...record, id: String(record["id"]) },
    requirement: "ENDP-05",
    what: "ids are numbers: read as text",
  };
}

function errorRecord(record: JsonMembers, { errorRecords = [] }: Deviations): Change | undefined {
  const known = errorRecords.find(
    ({ status, error }) =>
      record["status"] === status && (error === "*" || record["error"] === error),
  );
  if (known === undefined) return undefined;
  const { status, error, means } = known;
  return {
    status: means,
    requirement: means === 404 ? "STAT-09" : "ENDP-04",
    what: `an error comes as a success with the record of a ${status} job (${error}): read as ${means}`,
  };
}

function streamMember(content: Content, { stream }: Deviations): Change | undefined {
  const member = stream?.member;
  if (content.operation !== "stream" || member === undefined || !isJsonObject(content.body)) {
    return undefined;
  }
  const elements = content.body[member];
  if (!Array.isArray(elements)) return undefined;
  return {
    body: elements,
    requirement: "STRM-01",
    what: `stream answers with an object that has the array as its member ${member}`,
  };
}

function streamMetrics(content: Content, { stream }: Deviations): Change | undefined {
  const { operation, body } = content;
  if (operation !== "stream" || stream?.withoutMetrics !== true || !Array.isArray(body)) {
    return undefined;
  }
  const elements: readonly unknown[] = body;
  if (!elements.some(lacksMetrics)) return undefined;
  const whole = elements.map((each) =>
    lacksMetrics(each) ? Object.assign({ metrics: {} }, each) : each,
  );
  return {
    body: whole,
    requirement: "STRM-01",
    what: "the elements of a stream have no metrics",
  };
}

function otherState(
  record: JsonMembers,
  { states = {} }: Deviations,
  operation: OperationName,
): Change | undefined {
  const shown = record["status"];
  if (typeof shown !== "string" || !Object.hasOwn(states, shown)) {
    return undefined;
  }
  const state = states[shown];
  return {
    body: { ...record, status: state },
    requirement: operation === "run" ? "RUNA-01" : "STAT-01",
    what: `a state is called ${shown}: read as ${String(state)}`,
  };
}

function initialStatus(
  record: JsonMembers,
  { initialStatuses = [] }: Deviations,
  operation: OperationName,
): Change | undefined {
  const shown = record["status"];
  if (operation !== "run" || typeof shown !== "string") return undefined;
  if (shown === "IN_QUEUE" || !initialStatuses.includes(shown)) {
    return undefined;
  }
  return {
    body: { ...record, status: "IN_QUEUE" },
    requirement: "RUNA-01",
    what: `run answers with the status ${shown}`,
  };
}

function earlyOutput(record: JsonMembers, { outputInProgress }: Deviations): Change | undefined {
  if (outputInProgress !== true || record["status"] !== "IN_PROGRESS") return undefined;
  const { output, ...rest } = record;
  if (output === undefined || output === null) return undefined;
  return {
    body: rest,
    requirement: "STAT-02",
    what: "a job in progress shows an output: its latest progress",
  };
}

function missingTimes(
  record: JsonMembers,
  { recordsWithout = [] }: Deviations,
  operation: OperationName,
): Change | undefined {
  if (operation === "cancel") return undefined;
  if (typeof record["status"] !== "string" || !finalStates.includes(record["status"])) {
    return undefined;
  }
  const missing = recordsWithout.filter((member) => record[member] === undefined);
  if (missing.length === 0) return undefined;
  const filled = Object.fromEntries(missing.map((member) => [member, 0]));
  return {
    body: { ...record, ...filled },
    requirement: "STAT-03",
    what: `the record of a finished job has no ${missing.join(" and no ")}`,
  };
}

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
  return { content, changes: [{ requirement: "SYNC-04", what }] };
}
