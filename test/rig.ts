import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { specified, type Behaviour } from "../reference/behaviour.ts";
import { isJsonObject } from "../reference/behaviour/submission.ts";
import { VirtualClock } from "../reference/clock.ts";
import type { Endpoint } from "../reference/endpoint.ts";
import type { Job, JsonObject, ReceivedSubmission } from "../reference/job.ts";
import type { SubmitOperation } from "../openapi/operations.ts";
import { startReference } from "../reference/start-reference.ts";
import type { Reference } from "../reference/start-reference.ts";
import { Service, type NewEndpoint } from "../reference/service.ts";

/** An endpoint on a virtual clock, without any HTTP. */
export interface EndpointRig {
  readonly endpoint: Endpoint;
  readonly clock: VirtualClock;
  readonly advance: (ms: number) => Promise<number>;
  readonly submit: (
    input: JsonObject,
    more?: Partial<ReceivedSubmission>,
    by?: SubmitOperation,
  ) => Job;
}

export function createRig(
  options: NewEndpoint = {},
  behaviour: Behaviour = specified,
): EndpointRig {
  const endpoint = new Service(behaviour).create(options);
  const { clock } = endpoint;
  if (!(clock instanceof VirtualClock)) throw new Error("the rig needs a virtual clock");
  return {
    endpoint,
    clock,
    advance: (ms) => clock.advance(ms),
    submit: (input, more = {}, by = "run") =>
      endpoint.submit(by, { input, policy: {}, ...more }, 90_000),
  };
}

export interface JsonAnswer {
  readonly status: number;
  readonly contentType: string | null;
  /** An empty object where the body is none; an array under `items`. */
  readonly body: JsonObject;
}

/** A reference over real HTTP, with one virtual endpoint made through control. */
export interface HttpRig {
  readonly reference: Reference;
  readonly endpointId: string;
  readonly apiKey: string;
  readonly foreignKey: string;
  readonly url: string;
  /** A call of the job API with the endpoint's key. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    init?: RequestInit,
  ) => Promise<JsonAnswer>;
  readonly control: (method: string, path: string, body?: unknown) => Promise<JsonAnswer>;
  readonly advance: (ms: number) => Promise<JsonAnswer>;
}

export async function startRig(endpoint: JsonObject = {}, behaviour = specified): Promise<HttpRig> {
  const reference = await startReference({ behaviour });
  const controlUrl = reference.controlUrl ?? "";
  const made = await callJson("POST", `${controlUrl}/endpoints`, endpoint);
  const endpointId = String(made.body["endpointId"]);
  const apiKey = String(made.body["apiKey"]);
  const url = `${reference.baseUrl}/v2/${endpointId}`;
  const control: HttpRig["control"] = (method, path, body) =>
    callJson(method, `${controlUrl}/endpoints/${endpointId}${path}`, body);
  return {
    reference,
    endpointId,
    apiKey,
    foreignKey: String(made.body["foreignKey"]),
    url,
    call: (method, path, body, init = {}) =>
      callJson(method, `${url}${path}`, body, {
        ...init,
        headers: { authorization: apiKey, ...Object.fromEntries(new Headers(init.headers)) },
      }),
    control,
    advance: (ms) => control("POST", "/clock/advance", { ms }),
  };
}

export async function callJson(
  method: string,
  url: string,
  body?: unknown,
  init: RequestInit = {},
): Promise<JsonAnswer> {
  const headers = new Headers(init.headers);
  if (body !== undefined && !headers.has("content-type")) {
    headers.set("content-type", "application/json");
  }
  const response = await fetch(url, {
    ...init,
    method,
    headers,
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const value: unknown = text === "" ? {} : JSON.parse(text);
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    body: isJsonObject(value) ? value : { items: value },
  };
}

export interface RigReceiver {
  readonly url: string;
  readonly bodies: unknown[];
  stop(): Promise<void>;
}

/** A webhook receiver that answers attempt n (from 0) as it is told to. */
export async function startReceiver(
  answer: (attempt: number, response: ServerResponse, request: IncomingMessage) => void,
): Promise<RigReceiver> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      bodies.push(JSON.parse(Buffer.concat(parts).toString("utf8")));
      answer(bodies.length - 1, response, request);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    bodies,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
