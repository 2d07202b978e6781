import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import { answered, askedIn, isSuccess } from "./departures.ts";
import type { Departure } from "./departures.ts";

/** Departures whose answers come by other ways than a success with JSON, or are empty. */

/** Its bodies begin with a byte order mark. */
export const markedBodies: Departure = async (request, pass) => {
  const answer = await pass(request);
  const body = Buffer.concat([Buffer.from("\uFEFF"), answer.body]);
  return answer.body.length === 0 ? answer : { ...answer, body };
};

/** Its status answers 500 with the record of a job that failed. */
export const failedWithError: Departure = async (request, pass) => {
  const answer = await pass(request);
  const isStatus = askedIn(request.path).operation === "status";
  const state = isStatus && valueAt(parseJson(answer.body.toString()), "status");
  return state === "FAILED" ? { ...answer, status: 500 } : answer;
};

/** Its status redirects to the result of a completed job. */
export const completedElsewhere: Departure = async (request, pass) => {
  const { operation, id } = askedIn(request.path);
  const answer = await pass(request);
  const state = operation === "status" && valueAt(parseJson(answer.body.toString()), "status");
  if (state !== "COMPLETED") return answer;
  return { status: 303, headers: { location: `/results/${id}` }, body: Buffer.alloc(0) };
};

/** Its stream is there, and never gives a chunk. */
export const emptyStreams: Departure = async (request, pass) => {
  const answer = await pass(request);
  const isStream = askedIn(request.path).operation === "stream";
  return isStream && isSuccess(answer) ? answered(200, []) : answer;
};
