import type { Exchange } from "../../client/exchange.ts";
import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import { isSubmission } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Discovery } from "./discovery.ts";

/** What is wrong with the body of a submission, whatever its job would do. */
interface BodyFault {
  /** The id of the cause that no answer comes to it. */
  readonly causeId: string;
  readonly what: string;
  readonly requirement: RequirementId;
}

const noJson = {
  causeId: "no-json-unanswered",
  what: "a body that is no JSON",
  requirement: "SUBM-03",
} as const;
const noObject = {
  causeId: "no-object-unanswered",
  what: "a body that is no JSON object",
  requirement: "SUBM-03",
} as const;
const noInput = {
  causeId: "no-input-unanswered",
  what: "a body without input",
  requirement: "SUBM-01",
} as const;
const inputNoObject = {
  causeId: "input-no-object-unanswered",
  what: "an input that is no JSON object",
  requirement: "SUBM-02",
} as const;

/** A longer body may be unanswered for its size. */
const charactersMax = 4096;

/** What is wrong with the body of a submission; undefined where nothing is, or where that is not looked at. */
export function faultOfBody(body: string | Buffer | undefined): BodyFault | undefined {
  if (body === undefined || body.length > charactersMax) return undefined;
  const value = parseJson(body.toString());
  if (value === undefined) return noJson;
  if (!isJsonObject(value)) return noObject;
  const { input } = value;
  if (input === undefined) return noInput;
  return isJsonObject(input) ? undefined : inputNoObject;
}

/** So many submissions, each sent until it was clear that no answer comes: what another one did to the server is chance. */
const submissionsMin = 2;

/**
 * Learns that no answer comes to what is wrong with a body: the server closes the connection, or ends by it and takes its
 * jobs along. What sends such a body, and looks for something else, would tell nothing.
 */
export function learnUnansweredBodies(discovery: Discovery, exchange: Exchange): void {
  const { operation, failure, request } = exchange;
  if (failure?.kind !== "unanswered" || !isSubmission(operation)) return;
  const fault = faultOfBody(request.body);
  // One that answers no submission at all does not go by the body.
  if (fault === undefined || !discovery.readsJobs) return;
  const { causeId, what, requirement } = fault;
  const seen = [...(discovery.seenOfJobs.unanswered.get(causeId) ?? []), exchange];
  discovery.seenOfJobs.unanswered.set(causeId, seen);
  if (seen.length < submissionsMin) return;
  discovery.learn({
    id: causeId,
    topic: "bodies",
    text: `no answer comes to ${what}: ${failure.message}`,
    adapted: "no longer sent",
    breaks: [requirement],
    expected: "status 400",
    got: `no answer: ${failure.message}`,
    explains: (mismatch) =>
      mismatch.requirement === requirement && mismatch.got.includes("no answer"),
    seen,
  });
}
