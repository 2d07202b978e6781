import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { OperationName } from "../openapi/operations.ts";
import { admit } from "./authentication.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Credentials } from "./behaviour/authentication.ts";
import type { LimitRefusal, RequestForm } from "./behaviour/limits.ts";
import type { Route } from "./behaviour/surface.ts";
import { decimal } from "./behaviour/submission.ts";
import type { ClockMode } from "./clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { InFlightSlot } from "./limits.ts";
import { problem, type OperationAnswer, type OperationRequest } from "./answer.ts";
import { performers } from "./operations.ts";
import { refusalOfHost } from "./own-page.ts";
import { readBody, type Payload } from "./read-body.ts";
import { unreadAnswers } from "./unread-answers.ts";
import type { Service } from "./service.ts";

interface Parameters {
  readonly endpointId: string;
  readonly jobId?: string;
  /** What a path has below its operation. */
  readonly "*"?: string;
}

type JobRequest = FastifyRequest<{ Params: Parameters; Querystring: Record<string, unknown> }>;

/** The v2 API over HTTP: one route an operation, everything else 404, every body JSON. */
export function serveJobApi(
  app: FastifyInstance,
  service: Service,
  { allowedHosts }: { readonly allowedHosts?: readonly string[] | undefined } = {},
): void {
  const { behaviour } = service;
  const refuse = (reply: FastifyReply, status: number, detail: string): FastifyReply =>
    send(reply, undefined, problem(behaviour, status, detail), behaviour);
  for (const route of behaviour.surface.routes) {
    app.route({
      method: route.method,
      url: `/v2/:endpointId${route.path}`,
      // A hook and no handler: the framework looks at the content type in between, before any key.
      onRequest: async (request: JobRequest, reply) => {
        const refusal = allowedHosts && refusalOfHost(request, allowedHosts);
        if (refusal === undefined) return serve({ request, reply, route, service });
        return send(reply, route.operation, problem(behaviour, 403, refusal), behaviour);
      },
      handler: (_request, reply) => reply,
    });
  }
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, "no such path"));
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    const status = error.statusCode !== undefined && error.statusCode < 500 ? 400 : 500;
    return refuse(reply, status, error.message);
  });
}

interface Call {
  readonly request: JobRequest;
  readonly reply: FastifyReply;
  readonly route: Route;
  readonly service: Service;
}

/**
 * Key, then endpoint, then limits, all before the payload is read; then the operation; then the hold.
 * A behaviour may look at the limits first, or read the payload before them.
 */
async function serve(call: Call): Promise<FastifyReply> {
  const { request, route, service } = call;
  const { operation } = route;
  const { behaviour } = service;
  await pauseFor(behaviour.transport.delayBeforeMs(operation));
  const endpoint = service.find(request.params.endpointId);
  const credentials: Credentials = {
    operation,
    header: request.headers.authorization,
    endpoint,
    isUnknownJob: () =>
      request.params.jobId !== undefined &&
      endpoint?.find(request.params.jobId, operation) === undefined,
    isKnownKey: (key) => service.isKnownKey(key),
  };
  let early: InFlightSlot | undefined;
  if (endpoint !== undefined && behaviour.limits.comeBeforeTheKey) {
    const entered = endpoint.enter(operation, formOf(request));
    if (typeof entered === "string") return refuseForLimit(call, endpoint, { why: entered });
    early = entered;
  }

  const admission = admit(behaviour, credentials);
  if (admission !== "granted" || endpoint === undefined) {
    early?.handled(behaviour.authentication.refusalStatus(credentials));
    early?.free("answered");
    return refuseForKey(call, { endpoint, credentials, isKnown: admission !== "unauthorized" });
  }
  return serveKnown(call, endpoint, early);
}

/** A request whose key and endpoint are right. */
async function serveKnown(
  call: Call,
  endpoint: Endpoint,
  early: InFlightSlot | undefined,
): Promise<FastifyReply> {
  const { operation } = call.route;
  const { behaviour } = endpoint;
  const refusal = behaviour.transport.refuses(operation, endpoint.clock.nowMs());
  if (refusal !== undefined) {
    early?.free("answered");
    return sendRefusal(call, problem(behaviour, refusal, "refused on purpose"));
  }
  const payload = behaviour.limits.waitForTheBody ? await payloadOf(call) : undefined;
  const place = early ?? endpoint.enter(operation, formOf(call.request));
  return typeof place === "string"
    ? refuseForLimit(call, endpoint, { why: place, payload })
    : answerInPlace(call, endpoint, { place, payload });
}

function formOf({ params, url, headers }: JobRequest): RequestForm {
  const [, query = ""] = url.split("?");
  const { authorization = "" } = headers;
  return { below: params.jobId ?? params["*"] ?? "", query, authorization };
}

interface RefusedRequest {
  readonly endpoint: Endpoint | undefined;
  readonly credentials: Credentials;
  readonly isKnown: boolean;
}

async function refuseForKey(
  call: Call,
  { endpoint, credentials, isKnown }: RefusedRequest,
): Promise<FastifyReply> {
  const { operation } = call.route;
  const { behaviour } = call.service;
  const { authentication, operations } = behaviour;
  const answer = isKnown
    ? problem(behaviour, operations.unknownEndpointStatus(operation), "endpoint not found")
    : problem(
        behaviour,
        authentication.refusalStatus(credentials),
        authentication.refusalDetail(credentials),
      );
  if (endpoint !== undefined && !authentication.refusalLeavesUndone(operation, credentials)) {
    await perform(call, endpoint);
  }
  return sendRefusal(call, answer);
}

async function refuseForLimit(
  call: Call,
  endpoint: Endpoint,
  { why, payload }: { readonly why: LimitRefusal; readonly payload?: Payload | undefined },
): Promise<FastifyReply> {
  const { operation } = call.route;
  const { behaviour } = call.service;
  if (!behaviour.limits.refusalLeavesUndone(operation, why)) await perform(call, endpoint, payload);
  const status = behaviour.limits.refusalStatus(operation);
  return sendRefusal(call, problem(behaviour, status, "rate limit exceeded"));
}

async function sendRefusal(
  { reply, route: { operation }, service: { behaviour } }: Call,
  answer: OperationAnswer,
): Promise<FastifyReply> {
  await pauseFor(behaviour.transport.delayAfterMs(operation));
  return send(reply, operation, answer, behaviour);
}

interface AdmittedRequest {
  readonly place: InFlightSlot;
  readonly payload: Payload | undefined;
}

async function answerInPlace(
  call: Call,
  endpoint: Endpoint,
  { place, payload }: AdmittedRequest,
): Promise<FastifyReply> {
  const { reply, request, route, service } = call;
  const { operation } = route;
  const brokenOff = (): "broken-off" | "broken-off-in-body" =>
    request.raw.complete ? "broken-off" : "broken-off-in-body";
  onClosed(reply, () => place.free(brokenOff()));
  const answer = await perform(call, endpoint, payload);
  place.handled(answer.status);
  // Nothing is told that a restart would not know of.
  const writing = service.journal?.written(answer.job);
  if (writing !== undefined) await writing;
  if (endpoint.holds.isHeld(operation)) {
    await endpoint.holds.wait(operation, (forget) => onClosed(reply, forget));
  }
  await pauseFor(service.behaviour.transport.delayAfterMs(operation));
  await unreadAnswers.room(answer.job);
  // Before the answer is written: who has read it finds the place free.
  place.free(request.raw.destroyed ? brokenOff() : "answered");
  return send(reply, operation, answer, service.behaviour);
}

/** The payload of an operation that has one. */
async function payloadOf({ request, route, service }: Call): Promise<Payload | undefined> {
  const { operation } = route;
  if (operation !== "run" && operation !== "runsync" && operation !== "openai") return undefined;
  const limitOf = operation === "run" ? "run" : "runsync";
  const bytesMax = service.behaviour.submission.payloadBytesMax(limitOf, isChunked(request));
  return readBody(request.raw, bytesMax);
}

function isChunked({ headers }: JobRequest): boolean {
  return headers["transfer-encoding"] !== undefined;
}

async function perform(call: Call, endpoint: Endpoint, read?: Payload): Promise<OperationAnswer> {
  const { request, reply, route } = call;
  const { behaviour, clock, holds } = endpoint;
  const { operation } = route;
  const payload = read ?? (await payloadOf(call));
  if (payload?.kind === "broken-off") return problem(behaviour, 400, "the request broke off");
  const body = payload?.kind === "complete" ? payload.bytes : undefined;
  if (body !== undefined) call.service.requests?.noteBody(request, body);
  const operationRequest: OperationRequest = {
    endpoint,
    operation,
    jobId: request.params.jobId ?? "",
    path: request.params["*"] ?? "",
    method: route.method,
    holdMs: holdMsOf(route, request.query["wait"], clock.mode),
    query: request.query,
    contentType: request.headers["content-type"],
    isChunked: isChunked(request),
    body,
    onBrokenOff: (forget) => onClosed(reply, forget),
    onDue: () => {
      if (!holds.isHeld(operation)) clock.track(written(reply));
    },
  };
  const answer = await performers[operation](operationRequest);
  await keepBack(operationRequest, answer);
  return answer;
}

/** Delays the answer where a fault or a variation asks for it; the reference by itself does not. */
async function keepBack(
  { endpoint, operation, onDue }: OperationRequest,
  { status, job }: OperationAnswer,
): Promise<void> {
  const { behaviour, clock } = endpoint;
  if (status >= 400) return;
  const context = { operation, job, nowMs: clock.nowMs() };
  const waitMs = behaviour.operations.answersAfterMs(context, () => endpoint.counts());
  if (waitMs <= 0) return;
  await new Promise<void>((resolve) => {
    clock.schedule(clock.nowMs() + waitMs, () => {
      onDue();
      resolve();
    });
  });
}

const HOLD_MS = { min: 1_000, max: 300_000 };

/** How long a read is held back at most; what a client asks for is brought within bounds. */
function holdMsOf({ holdsForMs }: Route, wait: unknown, mode: ClockMode): number {
  if (holdsForMs === undefined) return 0;
  const givenMs = decimal(wait);
  if (givenMs === undefined) return holdsForMs(mode);
  return Math.min(Math.max(givenMs, HOLD_MS.min), HOLD_MS.max);
}

/** How long an advance waits for an answer to be written: its client may not read it. */
const WRITTEN_MS_MAX = 2_000;

/** Settles when the answer has been handed to the network, its client is gone, or does not read it. */
function written(reply: FastifyReply): Promise<void> {
  if (reply.raw.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, WRITTEN_MS_MAX);
    onClosed(reply, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Calls when the answer has been handed to the network, or its client is gone. */
function onClosed(reply: FastifyReply, act: () => void): void {
  reply.raw.once("close", act);
}

async function pauseFor(ms: number): Promise<void> {
  if (ms > 0) await pause(ms);
}

/** Writes an answer; its body is JSON, or nothing at all where a behaviour wants that. */
export function send(
  reply: FastifyReply,
  operation: OperationName | undefined,
  { status, body, events, job }: OperationAnswer,
  { operations, transport }: Behaviour,
): FastifyReply {
  reply
    .code(status)
    .headers(transport.headers(operation, status))
    .header("content-type", operations.contentType(operation, status));
  if (events !== undefined) {
    return reply.header("content-type", "text/event-stream").send(Readable.from(events));
  }
  if (body === undefined) return reply.send("");
  const text = transport.serialise(body, status);
  unreadAnswers.add(reply.raw, text, job);
  const { pieceLength } = transport;
  return reply.send(pieceLength === undefined ? text : Readable.from(piecesOf(text, pieceLength)));
}

/** A body whose length is not known beforehand travels in chunks. */
function* piecesOf(text: string | Buffer, length: number): Generator<Buffer> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let start = 0; start < bytes.length; start += length) {
    yield bytes.subarray(start, start + length);
  }
}
