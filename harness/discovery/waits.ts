import type { Exchange } from "../../client/exchange.ts";
import { waitMsIn } from "../../client/job-client.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { durationText } from "../../reports/words.ts";
import type { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import { describeAnswer } from "../read.ts";
import { isFinal, recordShownBy, isProcessed } from "../record.ts";
import { valueAt } from "../../openapi/departures.ts";
import type { Evidence } from "../../reports/model.ts";
import type { Discovery } from "./discovery.ts";
import { isAnswerTo, isSuccessOf, showsState } from "./shown-by.ts";
import { isOfLateness, tookMs } from "./slow-operations.ts";

/** The id of the cause that runsync does not answer before its job has ended. */
export const runsyncHolds = "runsync-holds";

/** An answer may be so late on its way, in milliseconds. */
const onItsWayMs = 1000;

/**
 * Learns that runsync holds its answer until the job has ended, whatever its wait: by the times that the record itself
 * tells, since an answer may also be late on its way. What a check does next to the job comes after its end.
 * @param exchange one of a real clock
 * @param dialect where it says that there is no such wait, nothing is learned
 */
export function learnHeld(
  discovery: Discovery,
  exchange: Exchange,
  dialect: Pick<ConfiguredDialect, "lacking">,
): void {
  const { operation, request } = exchange;
  if (operation !== "runsync" || dialect.lacking("SYNC-04") !== undefined) return;
  const record = recordShownBy(exchange);
  if (record === undefined || !isFinal(record)) return;
  const { delayTime, executionTime } = record;
  if (typeof delayTime !== "number" || typeof executionTime !== "number") return;
  const waitMs = waitMsIn(request.url);
  const heldMs = Math.min(tookMs(exchange), delayTime + executionTime);
  if (heldMs <= waitMs + onItsWayMs) return;
  const isRunsync = isSuccessOf("runsync");
  discovery.learn({
    id: runsyncHolds,
    topic: "runsync",
    text: `runsync holds its answer until the job has ended, beyond its wait: for ${durationText(heldMs)} where ${durationText(waitMs)} were asked for`,
    adapted: "what needs an unfinished job of runsync is not run",
    breaks: ["SYNC-04"],
    expected: "an answer when the wait is over, of an unfinished job",
    explains: ({ requirement, got }, evidence) =>
      requirement === "SYNC-04" && (isRunsync(evidence) || isNoAnswer(got)),
    excuses: ({ requirement, expected, got }, evidence) =>
      (isRunsync(evidence) && /IN_QUEUE|IN_PROGRESS/.test(expected)) ||
      (requirement === "SYNC-11" && isNoAnswer(got)),
    excusesReason: (reason) => reason.includes("runsync was answered after"),
    undecides: isOfLateness,
    seen: [exchange],
  });
}

function isNoAnswer(got: string): boolean {
  return got.includes("no answer");
}

/** The statuses that say of a request that it took too long. */
const ofTime: ReadonlySet<number> = new Set([408, 504]);
/** Clocks and timers may differ by so much, in milliseconds. */
const trifleMs = 50;

/**
 * Learns that runsync answers a time-out as an error when its wait is over. Where the answer names the job, it is read as
 * that of an unfinished one.
 * @param exchange one of a real clock
 */
export function learnWaitOver(discovery: Discovery, exchange: Exchange): void {
  const { operation, request, answer } = exchange;
  if (operation !== "runsync" || answer === undefined || !ofTime.has(answer.status)) return;
  if (tookMs(exchange) < waitMsIn(request.url) - trifleMs) return;
  const { status } = answer;
  const isSame = isAnswerTo(["runsync"], (seen) => seen === status);
  const body = bodyOf(answer);
  const namesJob = body.ok && typeof valueAt(body.value, "id") === "string";
  discovery.learn({
    id: `wait-over-${status}`,
    topic: "runsync",
    text: `runsync answers its wait as an error: ${describeAnswer(answer)}`,
    adapted: namesJob
      ? "read as an unfinished job"
      : "what needs an unfinished job of runsync is not run",
    breaks: ["SYNC-04"],
    expected: "the id of the job and an unfinished status when the wait is over",
    excuses: (_, evidence) => isSame(evidence),
    excusesReason: (reason) => reason.includes(`status ${status}, `),
    ...(namesJob && { deviations: { waitOver: status } }),
    seen: [exchange],
  });
}

/** The id of the cause that runsync awaits no job. */
const runsyncNeverWaits = "runsync-never-waits";

/** Of so many jobs, and none that was answered otherwise: it is how the operation answers, and no matter of one job. */
const jobsMin = 3;

/**
 * Learns that runsync awaits no job, but answers at once as run does.
 * @param exchange one of a real clock
 */
export function learnNoWait(discovery: Discovery, exchange: Exchange): void {
  const { operation, request } = exchange;
  const record = operation === "runsync" ? recordShownBy(exchange) : undefined;
  if (record === undefined) return;
  const { unawaited } = discovery.seenOfJobs;
  unawaited.isAnyAwaited ||= isFinal(record);
  if (unawaited.isAnyAwaited || discovery.knows(runsyncNeverWaits)) return;
  const waitMs = waitMsIn(request.url);
  if (tookMs(exchange) >= waitMs - trifleMs) unawaited.waitsHeld += 1;
  else if (tookMs(exchange) < waitMs / 2) unawaited.answers.push(exchange);
  // As many more for each answer that came when the wait was over: that one may have been late on its way.
  if (unawaited.answers.length < jobsMin * (1 + unawaited.waitsHeld)) return;
  const isRunsync = isSuccessOf("runsync");
  const isUnfinished = (evidence: Evidence | undefined): boolean =>
    isRunsync(evidence) && showsState(evidence, "IN_QUEUE", "IN_PROGRESS");
  discovery.learn({
    id: runsyncNeverWaits,
    topic: "runsync",
    text: "runsync awaits no job: it answers at once, as run does",
    adapted: "what needs an awaited job is not run",
    breaks: ["SYNC-01"],
    expected: "the record of the completed job",
    explains: ({ requirement }, evidence) => requirement === "SYNC-01" && isUnfinished(evidence),
    excuses: ({ at }, evidence) =>
      isRunsync(evidence) ? isUnfinished(evidence) : /\brunsync\b|\bwait\b/.test(at),
    excusesReason: (reason) => /\brunsync\b/.test(reason),
    seen: unawaited.answers,
  });
}

/** The id of the cause that run does not answer before its job has ended. */
export const runWaits = "run-waits";

/**
 * Learns that run answers only when its job has ended: the worker of a server without a queue does the work while the
 * request waits. What a check does next to the job comes after its end.
 * @param exchange one of a real clock
 */
export function learnRunWaits(discovery: Discovery, exchange: Exchange): void {
  const record = exchange.operation === "run" ? recordShownBy(exchange) : undefined;
  if (record === undefined) return;
  const { awaited } = discovery.seenOfJobs;
  awaited.isAnyUnfinished ||= !isProcessed(record);
  if (awaited.isAnyUnfinished || discovery.knows(runWaits)) return;
  // A server that answers everything with one record says nothing of its jobs.
  if (awaited.answers.set(record.id, exchange).size < jobsMin) return;
  const isRun = isSuccessOf("run");
  const isRetry = isAnswerTo(["retry"], () => true);
  const seen = [...awaited.answers.values()];
  const longestMs = Math.max(...seen.map(tookMs));
  discovery.learn({
    id: runWaits,
    topic: "run",
    text: `run answers only when its job has ended: ${record.status}, after up to ${durationText(longestMs)}`,
    adapted: "what needs an unfinished job is not run",
    breaks: ["RUNA-01"],
    expected: "an answer at once, with an id and IN_QUEUE",
    explains: ({ requirement, got }, evidence) =>
      (requirement === "RUNA-01" && got.includes("no answer")) ||
      ((requirement === "RUNA-01" || requirement === "ENDP-05") &&
        isRun(evidence) &&
        showsState(evidence, "COMPLETED", "FAILED", "TIMED_OUT")),
    excuses: ({ expected }, evidence) =>
      !isRetry(evidence) && /IN_QUEUE|IN_PROGRESS|in the queue|at work/.test(expected),
    excusesReason: (reason) =>
      /not IN_(QUEUE|PROGRESS)\b/.test(reason) || reason.startsWith("run was answered after"),
    undecides: isOfLateness,
    deviations: { lacks: ["IN_PROGRESS"] },
    seen,
  });
}
