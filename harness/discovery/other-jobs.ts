import type { Exchange } from "../../client/exchange.ts";
import { recordShownBy } from "../record.ts";
import type { Discovery } from "./discovery.ts";
import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import { givenJobId } from "../evidence/failing.ts";
import type { Evidence } from "../../reports/model.ts";

const whyRetriedElsewhere =
  "retry makes another job, so that the one that was retried stays as it was";

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
    undecides: (reason) => reason.includes(whyRetriedElsewhere),
    deviations: { lacks: ["retry"] },
    seen: [exchange],
  });
  return whyRetriedElsewhere;
}

const sharedJobs = "equal-inputs-share-a-job";
const whyShared = "a submission answers the job of an earlier one with the same input";
/** An input of more characters is not compared, so that none is kept for the whole run. */
const charactersMax = 20_000;

/**
 * Learns that equal inputs share one job: a submission answers the id that an earlier one with the same input has. What a
 * check does to such a job it does to that of another.
 * @returns why nothing that follows this exchange would tell; undefined where it made a job of its own
 */
export function learnSharedJobs(discovery: Discovery, exchange: Exchange): string | undefined {
  const id = givenJobId(exchange);
  const input = inputOf(exchange);
  if (id === undefined || input === undefined) return undefined;
  const { seenOfJobs } = discovery;
  const { submissions, sharedIds } = seenOfJobs;
  const before = submissions.get(id);
  if (before === undefined) {
    submissions.set(id, exchange);
    return undefined;
  }
  seenOfJobs.hasMixedId ||= inputOf(before) !== input;
  // A server that answers one id to every input, or gives an id twice, does not go by the inputs.
  const goesByInputs = !seenOfJobs.hasMixedId && submissions.size > 1;
  if (!goesByInputs && !discovery.knows(sharedJobs)) return undefined;
  sharedIds.add(id);
  discovery.learn({
    id: sharedJobs,
    topic: "jobs",
    text: whyShared,
    adapted: "what needs a job of its own is not run",
    breaks: ["SUBM-05"],
    expected: "an id of its own",
    explains: ({ requirement }) => requirement === "SUBM-05",
    excuses: (_, evidence) => evidence !== undefined && isOfJob(evidence, sharedIds),
    excusesReason: (reason) => reason.includes(whyShared),
    seen: [before, exchange],
  });
  return whyShared;
}

function inputOf({ request: { body } }: Exchange): string | undefined {
  const isShort = typeof body === "string" && body.length <= charactersMax;
  return isShort ? JSON.stringify(valueAt(parseJson(body), "input")) : undefined;
}

function isOfJob({ request, response }: Evidence, ids: ReadonlySet<string>): boolean {
  const body = response?.body;
  const told = typeof body === "string" ? valueAt(parseJson(body), "id") : undefined;
  return [...request.url.split(/[/?]/), told].some((each) => ids.has(String(each)));
}
