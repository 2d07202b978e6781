import type { Exchange } from "../../client/exchange.ts";
import { describeAnswer } from "../read.ts";
import { isFinal, recordShownBy } from "../record.ts";
import { unknownJob } from "./asker.ts";
import type { Discovery } from "./discovery.ts";
import type { ResultReads } from "./seen-of-jobs.ts";
import { isAnswerTo } from "./shown-by.ts";

const id = "results-read-once";

/** Of so many jobs, and none whose result could be read again: it is how the server keeps results. */
const jobsMin = 3;

/** A result is kept for a minute at least: what is gone sooner was not kept, in milliseconds. */
const againWithinMs = 10_000;

/**
 * Learns that a server forgets a job once its result was read. Whoever reads it again is given what was read before.
 * To be called with what comes from a target on a real clock: another may have left the retention behind in between.
 * @returns the first reads of all results, at the moment when it is learned; none otherwise
 */
export function learnOneShot(discovery: Discovery, exchange: Exchange): readonly Exchange[] {
  const { first, gone } = discovery.seenOfJobs.resultReads;
  if (discovery.knows(id) || !isGoneAtSecondRead(discovery, exchange)) return [];
  if (gone.size < jobsMin || exchange.answer === undefined) return [];
  const isGone = isAnswerTo(["status", "stream", "cancel", "retry"], (status) => status === 404);
  const said = describeAnswer(exchange.answer);
  discovery.learn({
    id,
    topic: "results",
    text: `a result can be read once: the same status again is answered ${said}`,
    adapted: "what was read first counts for later reads",
    breaks: ["LIFE-02"],
    expected: "the record again, for a minute at least",
    explains: ({ requirement }, evidence) => requirement === "LIFE-02" && isGone(evidence),
    excuses: ({ got }, evidence) => isGone(evidence) || got.startsWith("status 404"),
    excusesReason: (reason) => /\b(answered|status) 404\b|gave no chunk/.test(reason),
    deviations: { oneShotResults: true },
    seen: [...gone.values()].flat(),
  });
  return [...first.values()];
}

/** Notes a read of a result; returns whether it found none where one had been read soon before. */
function isGoneAtSecondRead({ seenOfJobs }: Discovery, exchange: Exchange): boolean {
  const { resultReads } = seenOfJobs;
  const { operation, answer, request } = exchange;
  const { jobId = unknownJob } = request;
  if (resultReads.succeededAgain || operation !== "status" || jobId === unknownJob) return false;
  const first = resultReads.first.get(jobId);
  const record = recordShownBy(exchange);
  if (record !== undefined && isFinal(record)) noteResult(resultReads, jobId, exchange);
  if (first === undefined || answer?.status !== 404) return false;
  if (exchange.sentAtMs - first.answeredAtMs > againWithinMs) return false;
  resultReads.gone.set(jobId, [exchange, first]);
  return true;
}

function noteResult(resultReads: ResultReads, jobId: string, exchange: Exchange): void {
  if (resultReads.first.has(jobId)) {
    resultReads.succeededAgain = true;
    resultReads.first.clear();
  } else {
    resultReads.first.set(jobId, exchange);
  }
}
