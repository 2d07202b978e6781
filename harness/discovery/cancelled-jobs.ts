import type { Exchange } from "../../client/exchange.ts";
import type { Evidence } from "../../reports/model.ts";
import { recordShownBy } from "../record.ts";
import type { Discovery } from "./discovery.ts";
import { isAnswerTo } from "./shown-by.ts";

/** The id of the cause that no job is there any more once it was cancelled. */
const cancelledGone = "cancelled-jobs-gone";

/** So many cancelled jobs were gone, and none was there: it is how cancel works, and no matter of one job. */
const jobsMin = 3;

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
  if (cancelled.gone.size < jobsMin) return;
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
