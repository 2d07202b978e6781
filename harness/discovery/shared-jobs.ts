import type { Exchange } from "../../client/exchange.ts";
import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import { givenJobId } from "../evidence/failing.ts";
import type { Evidence } from "../../reports/model.ts";
import type { Discovery } from "./discovery.ts";

const sharedJobs = "equal-inputs-share-a-job";
const why = "a submission answers the job of an earlier one with the same input";
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
  const { submissions, sharedIds, mixedIds } = discovery.seenOfJobs;
  const before = submissions.get(id);
  if (before === undefined) {
    submissions.set(id, exchange);
    return undefined;
  }
  if (inputOf(before) !== input) mixedIds.add(id);
  // A server that answers one id to every input, or gives an id twice, does not go by the inputs.
  const goesByInputs = mixedIds.size === 0 && submissions.size > 1;
  if (!goesByInputs && !discovery.knows(sharedJobs)) return undefined;
  sharedIds.add(id);
  discovery.learn({
    id: sharedJobs,
    topic: "jobs",
    text: why,
    adapted: "what needs a job of its own is not run",
    breaks: ["SUBM-05"],
    expected: "an id of its own",
    explains: ({ requirement }) => requirement === "SUBM-05",
    excuses: (_, evidence) => evidence !== undefined && isOfJob(evidence, sharedIds),
    excusesReason: (reason) => reason.includes(why),
    seen: [before, exchange],
  });
  return why;
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
