import type { Exchange } from "../../client/exchange.ts";
import { durationText } from "../../reports/words.ts";
import { isProcessed, recordShownBy } from "../record.ts";
import type { Discovery } from "./discovery.ts";
import { isAnswerTo, isSuccessOf, showsState } from "./shown-by.ts";
import { isOfLateness, tookMs } from "./slow-operations.ts";

/** The id of the cause that run does not answer before its job has ended. */
export const runWaits = "run-waits";

/** So many jobs had ended when run answered, and none had not: it is how run answers, and no matter of quick jobs. */
const jobsMin = 3;

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
