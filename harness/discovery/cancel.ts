import { setTimeout as sleep } from "node:timers/promises";

import type { Answer, Exchange } from "../../client/exchange.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { describeAnswer, isSuccess } from "../read.ts";
import { isFinal, recordShownBy } from "../record.ts";
import type { Asker } from "./asker.ts";
import { isAnswerTo } from "./shown-by.ts";
import { isOfBusyWorkers } from "./slow-operations.ts";
import type { Evidence } from "../../reports/model.ts";
import type { Discovery } from "./discovery.ts";
import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";

/** A cancel may take effect so long after its answer, in milliseconds. */
const takesEffectWithinMs = 1000;
const lookEveryMs = 100;

/**
 * Learns that a cancel of an unfinished job is refused, or changes nothing. Nothing that a run starts could be ended then,
 * so that it starts only what ends by itself.
 * @param cancelled what was answered to the cancel of a job that was unfinished before
 */
export async function learnCancel(asker: Asker, cancelled: Exchange): Promise<void> {
  const { answer, request } = cancelled;
  const { jobId } = request;
  if (jobId === undefined || answer === undefined || isOfOtherReasons(answer)) return;
  const untilMs = performance.now() + takesEffectWithinMs;
  let read: Exchange | undefined;
  do {
    read = await asker.ask(async (client) => client.status(jobId));
    if (read === undefined || stateIn(read) === undefined) return;
    await sleep(lookEveryMs);
  } while (performance.now() < untilMs);
  // A failure may be one of the moment: a second one is not.
  const again = isSuccess(answer)
    ? cancelled
    : await asker.ask(async (client) => client.cancel(jobId), isServerError);
  if (again?.answer?.status === answer.status) learnVain(asker, cancelled, read);
}

/** Whether an operation may always answer so. */
export function isServerError(answer: Answer | undefined): boolean {
  return answer?.status === 500;
}

/** The state of a job that is shown to be unfinished. */
function stateIn(read: Exchange): string | undefined {
  const record = recordShownBy(read);
  return record === undefined || isFinal(record) ? undefined : record.status;
}

function learnVain({ discovery }: Asker, cancelled: Exchange, read: Exchange): void {
  const { answer } = cancelled;
  if (answer === undefined) return;
  const state = stateIn(read) ?? "";
  const isAccepted = isSuccess(answer);
  const own: RequirementId = state === "IN_QUEUE" ? "CANC-01" : "CANC-02";
  const isShown = isAnswerTo(["cancel"], (status) => status === answer.status);
  const after = `${takesEffectWithinMs / 1000} s later the job is ${state}`;
  discovery.learn({
    id: isAccepted ? "cancel-without-effect" : "cancel-refused",
    topic: "cancel",
    text: isAccepted
      ? `cancel changes nothing: it is accepted, and ${after}`
      : `cancel refuses an unfinished job: ${describeAnswer(answer)}, and ${after}`,
    adapted: "not asked for again",
    breaks: isAccepted ? [own, "CANC-04"] : [own],
    expected: "the job to be CANCELLED",
    excuses: (_, evidence) => isShown(evidence),
    undecides: isOfBusyWorkers,
    deviations: { lacks: ["cancel"] },
    seen: [cancelled, read],
  });
}

/** Whether an answer is of the key, of a path or method that is not there, or of the moment. */
function isOfOtherReasons({ status }: Answer): boolean {
  return [401, 403, 404, 405, 429, 501, 502, 503, 504].includes(status);
}

/** The id of the cause that no job is there any more once it was cancelled. */
const cancelledGone = "cancelled-jobs-gone";

/** So many cancelled jobs were gone, and none was there: it is how cancel works, and no matter of one job. */
const goneJobsMin = 3;

/**
 * Learns that a job is forgotten when it is cancelled: status answers 404 for each of which cancel said that it is
 * CANCELLED.
 * @param exchange one of a real clock, in the specification's terms
 */
export function learnCancelledGone(discovery: Discovery, exchange: Exchange): void {
  const { operation, answer, request } = exchange;
  const { cancelled } = discovery.seenOfJobs;
  const record = recordShownBy(exchange);
  if (record?.status === "CANCELLED") {
    if (operation === "cancel") cancelled.ids.add(record.id);
    else cancelled.isAnyThere = true;
  }
  if (operation !== "status" || cancelled.isAnyThere || discovery.knows(cancelledGone)) return;
  const { jobId = "" } = request;
  if (answer?.status !== 404 || !cancelled.ids.has(jobId)) return;
  cancelled.gone.set(jobId, exchange);
  if (cancelled.gone.size < goneJobsMin) return;
  const isUnknown = isAnswerTo(["status", "stream", "cancel", "retry"], (status) => status === 404);
  const isOfCancelled = (evidence: Evidence | undefined): boolean =>
    isUnknown(evidence) && cancelled.ids.has(lastSegment(evidence?.request.url ?? ""));
  discovery.learn({
    id: cancelledGone,
    topic: "states",
    text: "a job is not there any more once it was cancelled: status answers 404",
    adapted: "what reads cancelled jobs is not run",
    breaks: ["CANC-04"],
    expected: "the record of the cancelled job, CANCELLED",
    explains: ({ requirement }, evidence) => requirement === "CANC-04" && isOfCancelled(evidence),
    excuses: ({ got }, evidence) => got.includes("404") && isOfCancelled(evidence),
    excusesReason: (reason) => /\bstatus (answered )?404\b/.test(reason),
    seen: [...cancelled.gone.values()],
  });
}

function lastSegment(url: string): string {
  const { pathname } = new URL(url);
  return decodeURIComponent(pathname.slice(pathname.lastIndexOf("/") + 1));
}

/** What else the output of a cancelled job breaks. */
const shownUnder: ReadonlySet<RequirementId> = new Set([
  "CANC-02",
  "CANC-04",
  "STAT-02",
  "STAT-08",
  "LIFE-02",
]);

/**
 * Learns that a cancelled job has an output: it was worked on, or keeps what it had done.
 * @param exchange one of a real clock, in the specification's terms
 */
export function learnCancelledOutput(discovery: Discovery, exchange: Exchange): void {
  if (exchange.operation !== "status") return;
  const record = recordShownBy(exchange);
  if (record?.status !== "CANCELLED" || (record["output"] ?? null) === null) return;
  discovery.learn({
    id: "cancelled-with-output",
    topic: "cancel",
    text: "a cancelled job has an output: status shows it CANCELLED, and with one",
    breaks: ["CANC-04"],
    expected: "CANCELLED, with no output",
    explains: ({ requirement, got }, evidence) =>
      shownUnder.has(requirement) &&
      (isCancelledWithOutput(evidence?.response?.body) ||
        isCancelledWithOutput(got.slice(Math.max(0, got.indexOf("{")))) ||
        got.includes("CANCELLED with an output")),
    seen: [exchange],
  });
}

function isCancelledWithOutput(body: unknown): boolean {
  const value = typeof body === "string" ? parseJson(body) : undefined;
  return valueAt(value, "status") === "CANCELLED" && (valueAt(value, "output") ?? null) !== null;
}
