import type { OperationName } from "../../openapi/operations.ts";
import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import type { ScenarioRequest, TroubleFor } from "./scenario.ts";
import type { Trouble } from "../recording/relay.ts";

// What happens to requests, as a scenario's `trouble`.

/** The first requests of an operation get this trouble; `times` absent: all of them. */
export function first(
  operation: OperationName,
  trouble: Trouble,
  times = Number.POSITIVE_INFINITY,
): () => TroubleFor {
  return () => (request) =>
    request.operation === operation && request.before < times ? trouble : undefined;
}

/** An answer that refuses, with a body as the reference words it. */
export function refusal(
  status: number,
  title: string,
  headers: Readonly<Record<string, string>> = {},
): Trouble {
  return { answer: { status, headers, body: { status, title, detail: title.toLowerCase() } } };
}

export const tooMany = refusal(429, "Too Many Requests");
export const serverError = refusal(500, "Internal Server Error");
export const notFound = refusal(404, "Not Found");

/** Every record is answered with other members, or without some. */
export function recordsWith(
  change: (record: Readonly<Record<string, unknown>>) => unknown,
  ofOperations: readonly OperationName[] = ["run", "runsync", "status"],
): () => TroubleFor {
  return () => (request) =>
    ofOperations.includes(request.operation) ? { rewrite: rewriting(change) } : undefined;
}

/** The rewrite of a successful answer that is an object. */
export function rewriting(
  change: (record: Readonly<Record<string, unknown>>) => unknown,
): NonNullable<Trouble["rewrite"]> {
  return (text, status) => {
    const record = parseJson(text);
    return status === 200 && isJsonObject(record) ? JSON.stringify(change(record)) : text;
  };
}

/** The reads of status show these states first, whatever the job does meanwhile. */
export function shows(states: readonly string[]): () => TroubleFor {
  return () => (request) => {
    const status = request.operation === "status" ? states[request.before] : undefined;
    if (status === undefined) return undefined;
    return { rewrite: rewriting(({ id }) => ({ id, status })) };
  };
}

/** From its second read on, a job was cancelled by somebody else. */
export const cancelledByOthers: () => TroubleFor = () => (request, server) => {
  const { operation, before, jobId } = request;
  const isRead = operation === "status" || operation === "stream";
  if (!isRead || before !== 1 || jobId === undefined) return undefined;
  return { before: () => server.cancel(jobId) };
};

/** Ids that a path has to encode: the service's own, with more behind them. */
export const oddIds: () => TroubleFor = () => {
  const behind = "/a b?c=d#é";
  return ({ operation, endpointId, jobId }: ScenarioRequest) => {
    const rewrite = rewriting((record) => ({ ...record, id: `${String(record["id"])}${behind}` }));
    if (jobId === undefined) return { rewrite };
    const id = jobId.endsWith(behind) ? jobId.slice(0, -behind.length) : jobId;
    return { rewrite, target: `/v2/${endpointId}/${operation}/${encodeURIComponent(id)}` };
  };
};
