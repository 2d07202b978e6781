import { setTimeout as sleep } from "node:timers/promises";

import { parseJson } from "../../client/parse-json.ts";
import { operations } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";

/** A request on its way to the server, as a departure may change it. */
export interface StrangeRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The answer on its way back. */
export interface StrangeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Treats a request to its end. */
export type Pass = (request: StrangeRequest) => Promise<StrangeAnswer>;

/** One way in which a server departs: it treats a request by itself, or passes it on, changed or not. */
export type Departure = (request: StrangeRequest, pass: Pass) => Promise<StrangeAnswer>;

export function answered(status: number, value: unknown): StrangeAnswer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: Buffer.from(JSON.stringify(value)) };
}

export function isSuccess({ status }: StrangeAnswer): boolean {
  return status >= 200 && status < 300;
}

export const nowhere = answered(404, { detail: "Not Found" });

/** The operation that a path of the specification names, and the id of its job. */
export function askedIn(path: string): { readonly operation: string; readonly id: string } {
  const [, operation = "", id = ""] = /^\/v2\/[^/]+\/([a-z-]+)(?:\/([^/?]+))?/.exec(path) ?? [];
  return { operation, id };
}

function isSubmission({ path }: StrangeRequest): boolean {
  return ["run", "runsync"].includes(askedIn(path).operation);
}

/** Its paths begin with the endpoint, and `/v2` is nowhere. Has to be the first of several. */
export const withoutV2: Departure = async (request, pass) => {
  const { path } = request;
  return path.startsWith("/v2/") ? nowhere : pass({ ...request, path: `/v2${path}` });
};

/** It lets everybody in. */
export function withoutKey(key: string): Departure {
  return async (request, pass) =>
    pass({ ...request, headers: { ...request.headers, authorization: key } });
}

/** It takes `Bearer KEY` alone. */
export const bearerAlone: Departure = async (request, pass) => {
  const { authorization } = request.headers;
  const isBearer = typeof authorization === "string" && authorization.startsWith("Bearer ");
  return isBearer ? pass(request) : answered(401, { detail: "Not authenticated" });
};

/** It refuses a bad submission as its framework does. */
export const refusing422: Departure = async (request, pass) => {
  const answer = await pass(request);
  const isRefusal = isSubmission(request) && answer.status === 400;
  return isRefusal ? answered(422, { detail: [{ msg: "Field required" }] }) : answer;
};

/** It has none of these operations, and says so as of any path at which nothing is. */
export function lacking(...names: readonly OperationName[]): Departure {
  const there = operations.map(({ name }) => name).filter((name) => !names.includes(name));
  return async (request, pass) => {
    const isThere = there.some((name) => name === askedIn(request.path).operation);
    return isThere ? pass(request) : nowhere;
  };
}

/** Its health tells something else. */
export const otherHealth: Departure = async (request, pass) => {
  if (askedIn(request.path).operation !== "health") return pass(request);
  const { status } = await pass(request);
  return status === 200 ? answered(200, { status: "ok" }) : pass(request);
};

/** Its handler looks at the input before anything else is looked at. */
export const inputFirst: Departure = async (request, pass) => {
  if (!isSubmission(request) || (await isKeyRefused(request, pass))) return pass(request);
  const body = parseJson(request.body.toString());
  const prompt = readMember(readMember(body, "input"), "prompt");
  return prompt === undefined
    ? answered(400, { error: "input.prompt is required" })
    : pass(request);
};

async function isKeyRefused(request: StrangeRequest, pass: Pass): Promise<boolean> {
  const path = request.path.replace(/\/run(sync)?\b.*$/, "/health");
  const { status } = await pass({ ...request, method: "GET", path, body: Buffer.alloc(0) });
  return status === 401;
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

/** It knows no webhooks. */
export const withoutWebhooks: Departure = async (request, pass) => {
  const body = isSubmission(request) ? parseJson(request.body.toString()) : undefined;
  if (typeof body !== "object" || body === null || !("webhook" in body)) return pass(request);
  return pass({ ...request, body: Buffer.from(JSON.stringify({ ...body, webhook: undefined })) });
};

/** Its cancel takes so long. */
export function slowCancel(ms: number): Departure {
  return async (request, pass) => {
    if (askedIn(request.path).operation === "cancel") await sleep(ms);
    return pass(request);
  };
}

/** While it cancels a job, for so long, it answers nothing. */
export function blockingCancel(ms: number): Departure {
  let freeAtMs = 0;
  return async (request, pass) => {
    if (askedIn(request.path).operation === "cancel") freeAtMs = performance.now() + ms;
    const waitMs = freeAtMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    return pass(request);
  };
}

/** Its workers die of the n-th job: that one and all later ones stay in the queue, and health shows nothing of it. */
export function dyingWorkers(number: number): Departure {
  const stuck = new Set<string>();
  let accepted = 0;
  return async (request, pass) => {
    const { operation, id } = askedIn(request.path);
    const answer = await pass(request);
    if (answer.status !== 200) return answer;
    if (operation === "status" && stuck.has(id)) return answered(200, { id, status: "IN_QUEUE" });
    if (!isSubmission(request)) return answer;
    accepted += 1;
    const given = readMember(parseJson(answer.body.toString()), "id");
    if (accepted < number || typeof given !== "string") return answer;
    stuck.add(given);
    return answered(200, { id: given, status: "IN_QUEUE" });
  };
}

/** A job can be read so long after it was accepted. */
export function lateIds(ms: number): Departure {
  const readableAtMs = new Map<string, number>();
  return async (request, pass) => {
    const { id } = askedIn(request.path);
    if (performance.now() < (readableAtMs.get(id) ?? 0)) {
      return answered(404, { error: "no such job" });
    }
    const answer = await pass(request);
    if (!isSubmission(request) || answer.status !== 200) return answer;
    const given = readMember(parseJson(answer.body.toString()), "id");
    if (typeof given === "string") readableAtMs.set(given, performance.now() + ms);
    return answer;
  };
}
