import type { Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { jobStates } from "../record.ts";
import { isSuccess } from "../read.ts";
import { show } from "../show.ts";
import { askedUnder, recordOperations } from "../dialects/record-operations.ts";
import type { Deviations } from "../dialects/schema.ts";
import type { Discovery, Learning } from "./discovery.ts";
import { unknownJob } from "./asker.ts";
import { learnBareRun } from "./answers.ts";
import {
  learnOutputAlone,
  learnOutputs,
  learnMissingTimes,
  learnTimes,
  learnWrappedOutputs,
} from "./record-values.ts";
import { stateOf, learnMembers, meantBy } from "./members.ts";
import { isJsonObject } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";

/** Operations of whose answers a requirement speaks by itself; every one has to be valid against its schema. */
const ownRequirements: ReadonlySet<OperationName> = new Set(["run", "status", "health"]);

/**
 * Learns from an answer, as it came, that records and health stand in an envelope, that ids are numbers, or that states
 * have other names. Each is one cause, however many operations show it, and the run reads on.
 * @param given what the dialect says already: that is tolerated, and no cause
 */
export function learnRecords(
  discovery: Discovery,
  exchange: Exchange,
  given: Deviations = {},
): void {
  const { operation } = exchange;
  learnOutputAlone(discovery, exchange);
  const body = answeredBy(exchange);
  if (body === undefined) return;
  const content = contentOf(discovery, exchange, { body, given });
  if (operation === "health" || !isJsonObject(content)) return;
  discovery.readsJobs ||= operation === "status" && exchange.request.jobId !== unknownJob;
  const record = learnMembers(discovery, exchange, content, given);
  learnBareRun(discovery, exchange, record);
  learnTimes(discovery, exchange, record);
  if (given.recordsWithout === undefined) learnMissingTimes(discovery, exchange, record);
  learnOutputs(discovery, exchange, record, given);
  learnWrappedOutputs(discovery, exchange, record, given);
  const { id, status } = record;
  if (typeof id === "number" && given.numericIds !== true) learnNumber(discovery, exchange, id);
  if (typeof status === "string" && !isGiven(status, given))
    learnState(discovery, exchange, status);
}

/** What is answered, outside any envelope. Where records stand in the body itself, one within is a job's output. */
function contentOf(
  discovery: Discovery,
  exchange: Exchange,
  { body, given }: { readonly body: JsonMembers; readonly given: Deviations },
): unknown {
  const member = envelopeOf(body, exchange.operation);
  if (member === undefined) return body;
  if (member === given.envelope) return body[member];
  if (discovery.usualMembers.has("id") && !discovery.knows("envelope")) return body;
  learnEnvelope(discovery, exchange, member);
  return body[member];
}

/** The body of a success of health, or of an operation that answers with a record, where it is a JSON object. */
function answeredBy({ answer, operation }: Exchange): JsonMembers | undefined {
  const isAsked = operation === "health" || recordOperations.has(operation);
  if (!isAsked || answer === undefined || !isSuccess(answer)) return undefined;
  const body = bodyOf(answer);
  return body.ok && isJsonObject(body.value) ? body.value : undefined;
}

function isGiven(state: string, { states = {}, initialStatuses = [] }: Deviations): boolean {
  return Object.hasOwn(states, state) || initialStatuses.includes(state);
}

function learnEnvelope(discovery: Discovery, exchange: Exchange, member: string): void {
  discovery.learn({
    id: "envelope",
    topic: "answers",
    text: `what an operation answers stands in the member ${show(member)} of its body`,
    adapted: "read from there",
    deviations: { envelope: member },
    ...shownBy(exchange),
  });
}

function learnNumber(discovery: Discovery, exchange: Exchange, id: number): void {
  discovery.learn({
    id: "ids-are-numbers",
    topic: "ids",
    text: `ids are numbers, such as ${id}`,
    adapted: "read as text",
    deviations: { numericIds: true },
    ...shownBy(exchange),
    breaks: ["ENDP-05"],
  });
}

const otherNames = "states-otherwise";

function learnState(discovery: Discovery, exchange: Exchange, shown: string): void {
  discovery.hasUsualStates ||= jobStates.includes(shown);
  const mayLearn = !discovery.hasUsualStates || discovery.knows(otherNames);
  const state = mayLearn && !jobStates.includes(shown) ? stateOf(shown) : undefined;
  if (state === undefined) return;
  discovery.learn({
    id: otherNames,
    topic: "states",
    text: `states have other names: ${show(shown)} for ${state}`,
    adapted: "read as the states that they mean",
    deviations: { states: { [shown]: state } },
    ...shownBy(exchange),
  });
}

function shownBy(exchange: Exchange): Pick<Learning, "breaks" | "expected" | "seen"> {
  const { operation } = exchange;
  return {
    breaks: ["ENDP-05", ...(ownRequirements.has(operation) ? [askedUnder[operation]] : [])],
    expected: "a body as the specification has it",
    seen: [exchange],
  };
}

/** The one member whose value is what the operation answers, where the body itself is not. */
function envelopeOf(body: JsonMembers, operation: OperationName): string | undefined {
  const names = operation === "health" ? ["jobs", "workers"] : ["id", "status"];
  const holds = (value: unknown): boolean =>
    isJsonObject(value) &&
    names.every((name) =>
      Object.keys(value).some((each) => each === name || meantBy(each) === name),
    );
  if (holds(body) || Object.hasOwn(body, "output")) return undefined;
  return Object.keys(body).find((name) => holds(body[name]));
}
