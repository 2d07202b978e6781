import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { OperationName } from "../openapi/index.ts";
import { admit } from "./authentication.ts";
import type { Behaviour } from "./behaviour.ts";
import type { Credentials } from "./behaviour/authentication.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Place } from "./limits.ts";
import { performers, problem, type Answer, type OperationRequest } from "./operations.ts";
import { readBody } from "./read-body.ts";
import type { Service } from "./service.ts";

interface Route {
  readonly operation: OperationName;
  readonly method: "GET" | "POST";
  readonly path: string;
}

const routes: readonly Route[] = [
  { operation: "run", method: "POST", path: "/run" },
  { operation: "runsync", method: "POST", path: "/runsync" },
  { operation: "status", method: "GET", path: "/status/:jobId" },
  { operation: "stream", method: "GET", path: "/stream/:jobId" },
  { operation: "cancel", method: "POST", path: "/cancel/:jobId" },
  { operation: "retry", method: "POST", path: "/retry/:jobId" },
  { operation: "purge-queue", method: "POST", path: "/purge-queue" },
  { operation: "health", method: "GET", path: "/health" },
  { operation: "openai", method: "POST", path: "/openai/*" },
  { operation: "requests", method: "GET", path: "/requests" },
];

interface Parameters {
  readonly endpointId: string;
  readonly jobId?: string;
}

type JobRequest = FastifyRequest<{ Params: Parameters; Querystring: Record<string, unknown> }>;

/** The v2 API over HTTP: one route an operation, everything else 404, every body JSON. */
export function serveJobApi(app: FastifyInstance, service: Service): void {
  for (const { operation, method, path } of routes) {
    app.route({
      method,
      url: `/v2/:endpointId${path}`,
      // A hook and no handler: the framework looks at the content type in between, before any key.
      onRequest: (request: JobRequest, reply) => serve({ request, reply, operation, service }),
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
  readonly operation: OperationName;
  readonly service: Service;
}

/** Key, then endpoint, then limits, all before the payload is read; then the operation; then the hold. */
async function serve(call: Call): Promise<FastifyReply> {
  const { request, reply, operation, service } = call;
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
            "no valid API key for this endpoint",
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
  const { reply, operation, service } = call;
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

async function perform({ request, reply, operation }: Call, endpoint: Endpoint): Promise<Answer> {
  const { behaviour, clock, holds } = endpoint;
  let body: Buffer | undefined;
  if (operation === "run" || operation === "runsync") {
    const payload = await readBody(request.raw, behaviour.submission.payloadBytesMax(operation));
    if (payload.kind === "broken-off") return problem(behaviour, 400, "the request broke off");
    if (payload.kind === "complete") body = payload.bytes;
  }
  const operationRequest: OperationRequest = {
    endpoint,
    operation,
    jobId: request.params.jobId ?? "",
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
  { status, body }: Answer,
  { operations, transport }: Behaviour,
): FastifyReply {
  reply
    .code(status)
    .headers(transport.headers(operation, status))
    .header("content-type", operations.contentType(operation, status));
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
