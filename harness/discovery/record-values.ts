import type { Exchange } from "../../client/exchange.ts";
import { isDeepStrictEqual } from "node:util";

import { isJsonObject } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { valueInText } from "../dialects/record-operations.ts";
import type { Deviations } from "../dialects/schema.ts";
import { echoOf } from "../inputs/conformance-jobs.ts";
import { isSuccess } from "../read.ts";
import { show } from "../show.ts";
import type { Discovery, Learning } from "./discovery.ts";
import { meantBy, stateOf } from "./members.ts";
import { isSuccessOf } from "./shown-by.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Mismatch } from "../../reports/model.ts";
import { isProcessed } from "../record.ts";

/**
 * Learns from a record in the specification's terms that outputs are JSON as a text. One of which it was seen that it is
 * none is a fault of its own.
 */
export function learnOutputs(
  discovery: Discovery,
  exchange: Exchange,
  record: JsonMembers,
  { outputsInText }: Deviations,
): void {
  const { output } = record;
  if (output === undefined || output === null || outputsInText === true) return;
  const isText = typeof output === "string" && valueInText(output) !== undefined;
  discovery.hasUsualOutputs ||= !isText;
  if (discovery.hasUsualOutputs) return;
  discovery.learn({
    id: "outputs-in-text",
    topic: "records",
    text: `output is JSON as a text: ${show(output)}`,
    adapted: "read as the value that the text holds",
    breaks: ["ENDP-05"],
    expected: "an object or an array",
    deviations: { outputsInText: true },
    seen: [exchange],
  });
}

/** So many echoes are awaited at once: those of the first jobs tell. */
const echoesMax = 20;

/**
 * Learns that the output of each job stands in a member of its own: that of an echo is then in another object, or in an
 * array. Where one was seen as the handler gave it, any other is a fault of its own.
 */
export function learnWrappedOutputs(
  discovery: Discovery,
  exchange: Exchange,
  { id, output }: JsonMembers,
  { outputMember }: Deviations,
): void {
  const { echoes } = discovery.seenOfJobs;
  if (outputMember !== undefined || echoes.isAnyPlain) return;
  const echo = echoOf(exchange.request.body);
  if (echo !== undefined && echoes.outputs.size < echoesMax) echoes.outputs.set(id, echo);
  const due = echoes.outputs.get(id);
  if (due === undefined || typeof output !== "object" || output === null) return;
  echoes.isAnyPlain = isDeepStrictEqual(output, due);
  const [found, ...more] = Object.entries(output).filter(([, each]) =>
    isDeepStrictEqual(each, due),
  );
  if (found === undefined || more.length > 0) return;
  const [member] = found;
  discovery.learn({
    id: "outputs-in-member",
    topic: "records",
    text: `the output of a job stands in a member of its own, ${member}: ${show(output)}`,
    adapted: "read from there",
    breaks: ["STAT-02"],
    expected: show(due),
    deviations: { outputMember: member },
    seen: [exchange],
  });
}

/** So many answers of runsync without a record, and none with one, are its way to answer. */
const outputsAlone = 2;

/** Learns that runsync answers the output of its job alone: whose it is cannot be known, so that it is not asked again. */
export function learnOutputAlone(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation } = exchange;
  if (operation !== "runsync" || answer === undefined || !isSuccess(answer)) return;
  const { seenOutputsAlone } = discovery;
  const body = bodyOf(answer);
  if (!body.ok) return;
  const record = recordIn(body.value);
  // That of an unfinished job, or of one that has failed, has no output that it could be.
  if (stateIn(record) === "COMPLETED") discovery.answersRecords.add(operation);
  if (record !== undefined) return;
  if (seenOutputsAlone.length < outputsAlone) seenOutputsAlone.push(exchange);
  const isItsWay = !discovery.answersRecords.has(operation) && discovery.usualMembers.has("id");
  if (!isItsWay || seenOutputsAlone.length < outputsAlone) return;
  const isShown = isSuccessOf(operation);
  discovery.learn({
    id: "runsync-output-alone",
    topic: "answers",
    text: `runsync answers the output of a completed job alone, without id and status: ${show(body.value)}`,
    adapted: "not asked for again",
    breaks: ["ENDP-05", "SYNC-01"],
    expected: "a record of id and status",
    excuses: (_, evidence) => isShown(evidence),
    excusesReason: (reason) => reason.includes("runsync gave no record"),
    deviations: { lacks: [operation] },
    seen: seenOutputsAlone,
  });
}

/** A body that has a member of a record's, or a record in an envelope. */
function recordIn(body: unknown): JsonMembers | undefined {
  if (!isJsonObject(body)) return undefined;
  const isPart = Object.keys(body).some((name) => name === "error" || memberOf(name) !== undefined);
  return isPart ? body : Object.values(body).find(isRecord);
}

function isRecord(value: unknown): value is JsonMembers {
  if (!isJsonObject(value)) return false;
  const members = new Set(Object.keys(value).map(memberOf));
  return members.has("id") && members.has("status");
}

/** The state that a record tells, by whatever name. */
function stateIn(record: JsonMembers = {}): string | undefined {
  const shown = Object.entries(record).find(([name]) => memberOf(name) === "status")?.[1];
  return typeof shown === "string" ? stateOf(shown) : undefined;
}

function memberOf(name: string): string | undefined {
  return name === "id" || name === "status" ? name : meantBy(name);
}

/** The requirements that say by themselves what the times are. */
const ofTimes: ReadonlySet<RequirementId> = new Set(["ENDP-05", "STAT-03", "SYNC-01"]);

const timeNames = ["delayTime", "executionTime"] as const;

/** Of so many finished jobs, and none that has the time: it is how records are, and no matter of one job. */
const jobsMin = 3;

/** Learns that the records of finished jobs have no times. One of which it was seen that it has is a fault of its own. */
export function learnMissingTimes(
  discovery: Discovery,
  exchange: Exchange,
  record: JsonMembers,
): void {
  const { timesShown, withoutTime } = discovery.seenOfJobs;
  if (exchange.operation !== "status" || !isProcessed(record) || typeof record["id"] !== "string") {
    return;
  }
  for (const name of timeNames) {
    if (record[name] !== undefined) timesShown.add(name);
    if (timesShown.has(name)) continue;
    const jobs = withoutTime.get(name) ?? new Set();
    withoutTime.set(name, jobs.add(record["id"]));
    if (jobs.size < jobsMin) continue;
    discovery.learn({
      id: "times-missing",
      topic: "records",
      text: `records of finished jobs have no ${name}`,
      adapted: "what compares it is not run",
      breaks: ["STAT-03"],
      expected: `${name}, an integer of 0 or more`,
      ...aboutTimes,
      deviations: { recordsWithout: [name] },
      seen: [exchange],
    });
  }
}

/** Which differences and reasons the times of records explain. */
const aboutTimes: Pick<Learning, "explains" | "excuses" | "excusesReason"> = {
  explains: (mismatch) => ofTimes.has(mismatch.requirement) && isOfTimes(mismatch),
  excuses: isOfTimes,
  excusesReason: (reason) => /delayTime|executionTime/.test(reason),
};

/**
 * Learns from a record in the specification's terms that its times are no integers. One of which it was seen that it is
 * an integer is a fault of its own.
 */
export function learnTimes(discovery: Discovery, exchange: Exchange, record: JsonMembers): void {
  for (const name of timeNames) {
    const value = record[name];
    if (value === undefined || value === null) continue;
    discovery.hasUsualTimes ||= Number.isInteger(value) && value !== 0;
    if (discovery.hasUsualTimes || Number.isInteger(value)) continue;
    discovery.learn({
      id: "times-otherwise",
      topic: "records",
      text: `times of records are no integers: ${name} is ${show(value)}`,
      adapted: "what compares them is not run",
      expected: "integers of 0 or more",
      ...aboutTimes,
      seen: [exchange],
    });
  }
}

/** Where the end of what came is cut off, it may be that of any member, and is taken for that of a time. */
function isOfTimes({ requirement, at, expected, got }: Mismatch): boolean {
  if (requirement === "ENDP-05" && got.endsWith("…")) return true;
  return /delayTime|executionTime/.test(`${at} ${expected} ${got.slice(got.lastIndexOf("}") + 1)}`);
}
