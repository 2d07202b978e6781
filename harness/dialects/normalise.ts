import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { finalStates } from "../record.ts";
import type { Deviations } from "./schema.ts";

/** The status and the JSON body of a success, on their way into the specification's terms. */
export interface Content {
  readonly operation: OperationName;
  readonly status: number;
  readonly body: unknown;
}

/** A content that was changed, and what the service does that made it necessary. */
export interface NormalisedChange {
  readonly content: Content;
  readonly requirement: RequirementId;
  readonly what: string;
}

/** Undoes one kind of deviation; `undefined` where a content does not show it. */
type Step = (content: Content, deviations: Deviations) => NormalisedChange | undefined;

type Members = Readonly<Record<string, unknown>>;

const ofRecords: ReadonlySet<OperationName> = new Set([
  "run",
  "runsync",
  "status",
  "stream",
  "cancel",
  "retry",
]);

/** Each step sees what the ones before it left. */
const steps: readonly Step[] = [
  errorRecord,
  streamMember,
  streamMetrics,
  otherState,
  initialStatus,
  earlyOutput,
  missingTimes,
];

/** Returns a content in the specification's terms, and every change that this took. */
export function normalise(
  content: Content,
  deviations: Deviations,
): { readonly content: Content; readonly changes: readonly NormalisedChange[] } {
  const changes: NormalisedChange[] = [];
  let current = content;
  for (const step of steps) {
    const change = step(current, deviations);
    if (change === undefined) continue;
    changes.push(change);
    current = change.content;
  }
  return { content: current, changes };
}

function errorRecord(
  content: Content,
  { errorRecords = [] }: Deviations,
): NormalisedChange | undefined {
  const record = recordIn(content);
  const known = errorRecords.find(
    ({ status, error }) =>
      record?.["status"] === status &&
      typeof record["error"] === "string" &&
      (error === "*" || record["error"] === error),
  );
  if (known === undefined) return undefined;
  const { status, error, means } = known;
  return {
    content: { ...content, status: means },
    requirement: means === 404 ? "STAT-09" : "ENDP-04",
    what: `an error comes as a success with the record of a ${status} job (${error}): read as ${means}`,
  };
}

function streamMember(content: Content, { stream }: Deviations): NormalisedChange | undefined {
  const member = stream?.member;
  if (content.operation !== "stream" || member === undefined || !isMembers(content.body)) {
    return undefined;
  }
  const elements = content.body[member];
  if (!Array.isArray(elements)) return undefined;
  return {
    content: { ...content, body: elements },
    requirement: "STRM-01",
    what: `stream answers with an object that has the array as its member ${member}`,
  };
}

function streamMetrics(content: Content, { stream }: Deviations): NormalisedChange | undefined {
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
    content: { ...content, body: whole },
    requirement: "STRM-01",
    what: "the elements of a stream have no metrics",
  };
}

function otherState(content: Content, { states = {} }: Deviations): NormalisedChange | undefined {
  const record = recordIn(content);
  const shown = record?.["status"];
  if (record === undefined || typeof shown !== "string" || !Object.hasOwn(states, shown)) {
    return undefined;
  }
  const state = states[shown];
  return {
    content: { ...content, body: { ...record, status: state } },
    requirement: "STAT-01",
    what: `a state is called ${shown}: read as ${String(state)}`,
  };
}

function initialStatus(
  content: Content,
  { initialStatuses = [] }: Deviations,
): NormalisedChange | undefined {
  const record = recordIn(content);
  const shown = record?.["status"];
  if (content.operation !== "run" || typeof shown !== "string") return undefined;
  if (record === undefined || shown === "IN_QUEUE" || !initialStatuses.includes(shown)) {
    return undefined;
  }
  return {
    content: { ...content, body: { ...record, status: "IN_QUEUE" } },
    requirement: "RUNA-01",
    what: `run answers with the status ${shown}`,
  };
}

function earlyOutput(
  content: Content,
  { outputInProgress }: Deviations,
): NormalisedChange | undefined {
  const record = recordIn(content);
  if (outputInProgress !== true || record?.["status"] !== "IN_PROGRESS") return undefined;
  const { output, ...rest } = record;
  if (output === undefined || output === null) return undefined;
  return {
    content: { ...content, body: rest },
    requirement: "STAT-02",
    what: "a job in progress shows an output: its latest progress",
  };
}

function missingTimes(
  content: Content,
  { recordsWithout = [] }: Deviations,
): NormalisedChange | undefined {
  const record = recordIn(content);
  if (record === undefined || content.operation === "cancel") return undefined;
  if (typeof record["status"] !== "string" || !finalStates.includes(record["status"])) {
    return undefined;
  }
  const missing = recordsWithout.filter((member) => record[member] === undefined);
  if (missing.length === 0) return undefined;
  const filled = Object.fromEntries(missing.map((member) => [member, 0]));
  return {
    content: { ...content, body: { ...record, ...filled } },
    requirement: "STAT-03",
    what: `the record of a finished job has no ${missing.join(" and no ")}`,
  };
}

/** The record of a success of an operation that answers with one. */
function recordIn({ operation, status, body }: Content): Members | undefined {
  const isSuccess = status >= 200 && status < 300;
  return isSuccess && ofRecords.has(operation) && isMembers(body) ? body : undefined;
}

function lacksMetrics(element: unknown): element is Members {
  return isMembers(element) && "output" in element && !("metrics" in element);
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
