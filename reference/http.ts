import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { OperationName } from "../openapi/index.ts";
import { admit } from "./authentication.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Credentials } from "./behaviour/authentication.ts";
import type { Route } from "./behaviour/surface.ts";
import { decimal } from "./behaviour/submission.ts";
import type { ClockMode } from "./clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Place } from "./limits.ts";
import { problem, type Answer, type OperationRequest } from "./answer.ts";
import { performers } from "./operations.ts";
import { readBody } from "./read-body.ts";
import type { Service } from "./service.ts";

interface Parameters {
  readonly endpointId: string;
  readonly jobId?: string;
  /** What a path has below its operation. */
  readonly "*"?: string;
}

type JobRequest = FastifyRequest<{ Params: Parameters; Querystring: Record<string, unknown> }>;

/** The v2 API over HTTP: one route an operation, everything else 404, every body JSON. */
export function serveJobApi(app: FastifyInstance, service: Service): void {
  for (const route of service.behaviour.surface.routes) {
    app.route({
      method: route.method,
      url: `/v2/:endpointId${route.path}`,
      // A hook and no handler: the framework looks at the content type in between, before any key.
      onRequest: (request: JobRequest, reply) => serve({ request, reply, route, service }),
      handler: (_request, reply) => reply,
    });
  }
  app.setNotFoundHandler((_request, reply) =>
    send(reply, undefined, problem(service.behaviour, 404, "no such path"), service.behaviour),
  );
  app.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    const status = error.statusCode !== undefined && error.statusCode < 500 ? 400 : 500;
    return send(
      reply,
      undefined,
      problem(service.behaviour, status, error.message),
      service.behaviour,
    );
  });
}

interface Call {
  readonly request: JobRequest;
  readonly reply: FastifyReply;
  readonly route: Route;
  readonly service: Service;
}

/** Key, then endpoint, then limits, all before the payload is read; then the operation; then the hold. */
async function serve(call: Call): Promise<FastifyReply> {
  const { request, reply, route, service } = call;
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
  const admission = admit(behaviour, credentials);
  if (admission !== "granted" || endpoint === undefined) {
    const answer =
      admission === "unauthorized"
        ? problem(
            behaviour,
            behaviour.authentication.refusalStatus(credentials),
            behaviour.authentication.refusalDetail(credentials),
          )
        : problem(
            behaviour,
            behaviour.operations.unknownEndpointStatus(operation),
            "endpoint not found",
          );
    const { refusalLeavesUndone } = behaviour.authentication;
    if (endpoint !== undefined && !refusalLeavesUndone(operation, credentials)) {
      await perform(call, endpoint);
    }
    await pauseFor(behaviour.transport.delayAfterMs(operation));
    return send(reply, operation, answer, service.behaviour);
  }

  const refusal = behaviour.transport.refuses(operation, endpoint.clock.nowMs());
  if (refusal !== undefined) {
    return send(reply, operation, problem(behaviour, refusal, "refused on purpose"), behaviour);
  }
  const place = endpoint.enter(operation);
  if (place === undefined) {
    if (!behaviour.limits.refusalLeavesUndone(operation)) await perform(call, endpoint);
    return send(
      reply,
      operation,
      problem(behaviour, behaviour.limits.refusalStatus(operation), "rate limit exceeded"),
      behaviour,
    );
  }
  reply.raw.once("close", () => place.free("broken-off"));
  return answerInPlace(call, endpoint, place);
}

async function answerInPlace(call: Call, endpoint: Endpoint, place: Place): Promise<FastifyReply> {
  const { reply, route, service } = call;
  const { operation } = route;
  const answer = await perform(call, endpoint);
  // Nothing is told that a restart would not know of.
  const writing = service.journal?.written();
  if (writing !== undefined) await writing;
  if (endpoint.holds.isHeld(operation)) {
    await endpoint.holds.wait(operation, (forget) => void reply.raw.once("close", forget));
  }
  await pauseFor(service.behaviour.transport.delayAfterMs(operation));
  // Before the answer is written: who has read it finds the place free.
  place.free("answered");
  return send(reply, operation, answer, service.behaviour);
}

async function perform({ request, reply, route }: Call, endpoint: Endpoint): Promise<Answer> {
  const { behaviour, clock, holds } = endpoint;
  const { operation } = route;
  let body: Buffer | undefined;
  if (operation === "run" || operation === "runsync" || operation === "openai") {
    const limitOf = operation === "run" ? "run" : "runsync";
    const payload = await readBody(request.raw, behaviour.submission.payloadBytesMax(limitOf));
    if (payload.kind === "broken-off") return problem(behaviour, 400, "the request broke off");
    if (payload.kind === "complete") body = payload.bytes;
  }
  const operationRequest: OperationRequest = {
    endpoint,
    operation,
    jobId: request.params.jobId ?? "",
    path: request.params["*"] ?? "",
    method: route.method,
    holdMs: holdMsOf(route, request.query["wait"], clock.mode),
    query: request.query,
    contentType: request.headers["content-type"],
    body,
    onBrokenOff: (forget) => void reply.raw.once("close", forget),
    onDue: () => {
      if (!holds.isHeld(operation)) clock.track(written(reply));
    },
  };
  return performers[operation](operationRequest);
}

const HOLD_MS = { min: 1_000, max: 300_000 };

/** How long a read is held back at most; what a client asks for is brought within bounds. */
function holdMsOf({ holdsForMs }: Route, wait: unknown, mode: ClockMode): number {
  if (holdsForMs === undefined) return 0;
  const givenMs = decimal(wait);
  if (givenMs === undefined) return holdsForMs(mode);
  return Math.min(Math.max(givenMs, HOLD_MS.min), HOLD_MS.max);
}

/** Settles when the answer has been handed to the network, or its client is gone. */
function written(reply: FastifyReply): Promise<void> {
  if (reply.raw.closed) return Promise.resolve();
  return new Promise((resolve) => {
    reply.raw.once("close", () => resolve());
  });
}

async function pauseFor(ms: number): Promise<void> {
  if (ms > 0) await pause(ms);
}

/** Writes an answer; its body is JSON, or nothing at all where a behaviour wants that. */
export function send(
  reply: FastifyReply,
  operation: OperationName | undefined,
  { status, body, events }: Answer,
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
