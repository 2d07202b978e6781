import type { Exchange } from "../../client/exchange.ts";
import { recordShownBy } from "../record.ts";
import type { Discovery } from "./discovery.ts";

const why = "retry makes another job, so that the one that was retried stays as it was";

/**
 * Learns that a retry of a job that has ended makes another job, with an id of its own: nothing is known then of what
 * becomes of a retried job.
 * @returns why nothing that follows this exchange would tell; undefined where it is no such retry
 */
export function learnRetriedElsewhere(
  discovery: Discovery,
  exchange: Exchange,
): string | undefined {
  const { operation, request } = exchange;
  const { jobId = "" } = request;
  const record = operation === "retry" ? recordShownBy(exchange) : undefined;
  if (record === undefined || record.id === jobId) return undefined;
  // What is answered of a job that never was, or has not ended, says nothing of one that may be retried.
  if (discovery.seenOfJobs.work.jobs.get(jobId)?.endedAtMs === undefined) return undefined;
  discovery.learn({
    id: "retry-makes-another-job",
    topic: "retry",
    text: "retry makes another job: it answers an id that is not that of the job",
    adapted: "what needs a retried job is not run",
    breaks: ["RETR-01"],
    expected: `the id ${jobId}`,
    undecides: (reason) => reason.includes(why),
    deviations: { lacks: ["retry"] },
    seen: [exchange],
  });
  return why;
}
