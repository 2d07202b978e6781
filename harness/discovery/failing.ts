import type { Exchange } from "../../client/exchange.ts";
import { operations } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { askedUnder } from "../dialects/record-operations.ts";
import { describeAnswer, isSuccess } from "../read.ts";
import { unknownJob } from "./asker.ts";
import type { Discovery } from "./discovery.ts";
import { isAnswerTo } from "./shown-by.ts";

/** Of so many jobs, and none with which it succeeded: it is how the operation answers, and no matter of one job. */
const jobsMin = 3;

/** Operations of a job without which the rest of the API can be judged. */
const dispensable: ReadonlySet<OperationName> = new Set(["retry", "stream"]);

/** Learns that an operation fails by 500 with every job: what needs it is not tried again and again. */
export function learnFailing(discovery: Discovery, exchange: Exchange): void {
  const { operation, answer, request } = exchange;
  const { jobId = unknownJob } = request;
  if (!dispensable.has(operation) || answer === undefined || jobId === unknownJob) return;
  const { attempts } = discovery;
  const seen = attempts.get(operation) ?? { succeeded: false, failed: new Map() };
  attempts.set(operation, seen);
  seen.succeeded ||= isSuccess(answer);
  if (seen.succeeded || answer.status !== 500) return;
  if (!seen.failed.has(jobId)) seen.failed.set(jobId, exchange);
  if (seen.failed.size < jobsMin) return;
  const isSame = isAnswerTo([operation], (status) => status === 500);
  discovery.learn({
    id: `failing-${operation}`,
    topic: "failing",
    text: `${operation} fails with every job: ${describeAnswer(answer)}`,
    adapted: "not asked for again",
    breaks: [askedUnder[operation]],
    expected: `${operation} to be carried out`,
    excuses: (_, evidence) => isSame(evidence),
    excusesReason: (reason) => reason.includes(`${operation} answered 500`),
    deviations: { lacks: [operation] },
    seen: [...seen.failed.values()],
  });
}

/** So many answers that are larger than any the run reads: it is how the operation answers. */
const tooLargeMin = 2;

/** Learns that an operation answers more than a run reads: each such answer costs as much as a hundred others. */
export function learnTooLarge(discovery: Discovery, exchange: Exchange): void {
  const { operation, failure } = exchange;
  if (failure?.kind !== "too-large") return;
  const { tooLarge } = discovery.seenOfJobs;
  const seen = [...(tooLarge.get(operation) ?? []), exchange];
  tooLarge.set(operation, seen);
  if (seen.length < tooLargeMin) return;
  discovery.learn({
    id: `too-large-${operation}`,
    topic: "answers",
    text: `${operation} gives ${failure.message}`,
    adapted: "not asked for again",
    leavesOpen: [askedUnder[operation]],
    undecides: (reason) => reason.includes(`${operation}: ${failure.message}`),
    deviations: { lacks: [operation] },
    seen,
  });
}

/** So many reads that failed by 500 and did not when they were sent again: it is no matter of what was asked. */
const readsMin = 3;

/**
 * Learns that a target answers 500 now and then to what it answers otherwise: what failed so shows nothing of what was
 * asked. To be called with what came of a target on a real clock.
 */
export function learnRandomFailures(discovery: Discovery, exchange: Exchange): void {
  const { operation, answer, request } = exchange;
  if (answer === undefined || !readOperations.has(operation)) return;
  const { failedReads, recoveredReads } = discovery.seenOfJobs;
  const asked = `${request.method} ${request.url} ${request.keyName}`;
  if (answer.status === 500) failedReads.set(asked, exchange);
  const failed = failedReads.get(asked);
  if (!isSuccess(answer) || failed === undefined) return;
  failedReads.delete(asked);
  if (recoveredReads.push(failed, exchange) < 2 * readsMin) return;
  const is500 = isAnswerTo(operationNames, (status) => status === 500);
  discovery.learn({
    id: "fails-at-random",
    topic: "failing",
    text: "the target answers 500 now and then to what it answers otherwise",
    adapted: "what failed so is not decided",
    breaks: [askedUnder[recoveredReads[0]?.operation ?? operation]],
    expected: "the answer that came when it was sent again",
    excuses: ({ got }, evidence) => is500(evidence) || got.startsWith("status 500"),
    excusesReason: (reason) => /\b(answered|status) 500\b/.test(reason),
    seen: recoveredReads,
  });
}

const readOperations: ReadonlySet<OperationName> = new Set(["status", "stream", "health"]);
const operationNames = operations.map(({ name }) => name);
