import { parseJson, isJsonObject } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { ForwardedAnswer, ForwardedRequest } from "../fronts/forward.ts";
import { startFront } from "../fronts/start-front.ts";
import type { RunningServer } from "../running-server.ts";

/** Treats a request to its end. */
export type Pass = (request: ForwardedRequest) => Promise<ForwardedAnswer>;

/** One way in which a server departs: it treats a request by itself, or passes it on, changed or not. */
export type Departure = (request: ForwardedRequest, pass: Pass) => Promise<ForwardedAnswer>;

/** The operation that a path of the specification names, and the id of its job. */
export interface Asked {
  readonly operation: string;
  readonly id: string;
}

export function answered(status: number, value: unknown): ForwardedAnswer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: Buffer.from(JSON.stringify(value)) };
}

export function isSuccess({ status }: ForwardedAnswer): boolean {
  return status >= 200 && status < 300;
}

export const nowhere = answered(404, { detail: "Not Found" });

export function askedIn(path: string): Asked {
  const [, operation = "", id = ""] = /^\/v2\/[^/]+\/([a-z-]+)(?:\/([^/?]+))?/.exec(path) ?? [];
  return { operation, id };
}

/** A member of an answer's body, or one inside others, such as `jobs.inQueue`. */
export function memberIn({ body }: Pick<ForwardedAnswer, "body">, path: string): unknown {
  return valueAt(parseJson(body.toString()), path);
}

/** Reads another path with the headers of a request. */
export async function read(
  path: string,
  request: ForwardedRequest,
  pass: Pass,
): Promise<ForwardedAnswer> {
  return pass({ ...request, method: "GET", path, body: Buffer.alloc(0) });
}

/** Changes each answer on its way back. */
export function changingAnswers(
  change: (answer: ForwardedAnswer, asked: Asked, request: ForwardedRequest) => ForwardedAnswer,
): Departure {
  return async (request, pass) => change(await pass(request), askedIn(request.path), request);
}

/** Changes the body of each success of these operations. */
export function changingBodies(
  names: readonly OperationName[],
  change: (body: unknown) => unknown,
): Departure {
  return changingAnswers((answer, { operation }) =>
    isSuccess(answer) && names.some((name) => name === operation)
      ? answered(answer.status, change(parseJson(answer.body.toString())))
      : answer,
  );
}

/** Changes the record of a job in whatever answers one. */
export function changingRecords(change: (record: JsonMembers) => unknown): Departure {
  return changingBodies(["run", "runsync", "status", "cancel", "retry"], (body) =>
    isJsonObject(body) ? change(body) : body,
  );
}

/** Treats the requests of one operation by itself, and passes on the others. */
export function treating(operation: OperationName, treat: Departure): Departure {
  return async (request, pass) =>
    askedIn(request.path).operation === operation ? treat(request, pass) : pass(request);
}

/** Starts a server that does as another one of this machine, but for these departures, the first one outermost. */
export async function startStranger(
  target: string,
  departures: readonly Departure[],
): Promise<RunningServer> {
  return startFront(target, async ({ request, response, pass }) => {
    // What a client has asked for is carried out, also where it does not stay for the answer.
    const { signal } = new AbortController();
    const treat = departures.reduceRight<Pass>(
      (next, departure) => async (passed) => departure(passed, next),
      async (passed) => pass(passed, signal),
    );
    const { status, headers, body } = await treat(request);
    response.writeHead(status, headers).end(body);
  });
}
