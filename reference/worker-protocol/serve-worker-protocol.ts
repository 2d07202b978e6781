import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { isJsonObject } from "../behaviour/submission.ts";
import type { HandlerEnding } from "../handler.ts";
import type { JsonObject } from "../job.ts";
import type { Endpoint } from "../endpoint.ts";
import type { Journal } from "../journal.ts";
import { readBody } from "../read-body.ts";
import { refusalOfStranger } from "../own-page.ts";
import { readJson } from "../read-json.ts";
import type { Service } from "../service.ts";
import type { Fleet, HandedJob } from "./fleet.ts";
import { Poll } from "./poll.ts";

interface Parameters {
  readonly endpointId: string;
  readonly workerId: string;
  readonly jobId?: string;
}

type WorkerRequest = FastifyRequest<{
  Params: Parameters;
  Querystring: Readonly<Record<string, string | undefined>>;
}>;

interface Call {
  readonly request: WorkerRequest;
  readonly reply: FastifyReply;
  readonly fleet: Fleet;
  readonly journal: Journal<Endpoint> | undefined;
}

type Perform = (call: Call) => Promise<FastifyReply> | FastifyReply;

const BATCH_MAX = 1_000;
/** A result of 20 MB and the JSON around it. */
const RESULT_BYTES_MAX = 20_971_520 + 65_536;

/** Serves the requests of workers that run the vendor's library (docs/real-workers.md). */
export function serveWorkerProtocol(app: FastifyInstance, service: Service): void {
  if (service.fleet === undefined) return;
  const routes: readonly (readonly ["GET" | "POST", string, Perform])[] = [
    ["GET", "/job-take/:workerId", (call) => take(call, 1)],
    ["GET", "/job-take-batch/:workerId", (call) => take(call, batchSize(call))],
    ["GET", "/job-stop/:workerId", stops],
    ["GET", "/ping/:workerId", ping],
    ["POST", "/job-stream/:workerId/:jobId", stream],
    ["POST", "/job-done/:workerId/:jobId", done],
  ];
  for (const [method, path, perform] of routes) {
    app.route({
      method,
      url: `/v2/:endpointId${path}`,
      onRequest: async (request: WorkerRequest, reply) => {
        const endpoint = service.find(request.params.endpointId);
        if (endpoint?.fleet === undefined) return refuse(reply, 404, "no workers are wanted here");
        if (!isOfWorker(request, endpoint)) return refuse(reply, 401, "invalid api key");
        return perform({ request, reply, fleet: endpoint.fleet, journal: service.journal });
      },
      handler: (_request, reply) => reply,
    });
  }
}

/**
 * Whether a request may be a worker's: it has the key or, since the library prefers a key of its own settings file, comes
 * from this machine with any key, and from no web page.
 */
function isOfWorker(request: WorkerRequest, { apiKey }: Endpoint): boolean {
  const key = request.headers.authorization?.replace(/^bearer +/i, "");
  if (key === apiKey) return true;
  return key !== undefined && refusalOfStranger(request) === undefined;
}

async function take({ request, reply, fleet }: Call, size: number): Promise<FastifyReply> {
  const poll = pollOf<readonly HandedJob[]>(reply, fleet);
  fleet.take(request.params.workerId, size, poll);
  const jobs = (await poll.answered()) ?? [];
  if (jobs.length === 0) return reply.code(204).send();
  return json(reply, 200, isBatch(request) ? jobs : jobs[0]);
}

function isBatch({ query }: WorkerRequest): boolean {
  return query["batch_size"] !== undefined;
}

function batchSize({ request }: Call): number {
  const size = Number(request.query["batch_size"]);
  return Number.isInteger(size) ? Math.min(Math.max(size, 1), BATCH_MAX) : 1;
}

async function stops({ request, reply, fleet }: Call): Promise<FastifyReply> {
  const poll = pollOf<readonly string[]>(reply, fleet);
  fleet.awaitStops(request.params.workerId, poll);
  const jobIds = (await poll.answered()) ?? [];
  return jobIds.length === 0 ? reply.code(204).send() : json(reply, 200, { jobsToStop: jobIds });
}

function ping({ request, reply, fleet }: Call): FastifyReply {
  const named = request.query["job_id"] ?? "";
  fleet.ping(
    request.params.workerId,
    named.split(",").filter((id) => id !== ""),
  );
  return json(reply, 200, {});
}

async function stream(call: Call): Promise<FastifyReply> {
  const read = await bodyOf(call.request);
  if (read === undefined)
    return refuse(call.reply, 400, "the chunk is no JSON object, too large or too deep");
  const { workerId, jobId = "" } = call.request.params;
  call.fleet.chunk(workerId, jobId, { output: read.body["output"], bytes: read.bytes });
  return json(call.reply, 200, {});
}

async function done(call: Call): Promise<FastifyReply> {
  const { body } = (await bodyOf(call.request)) ?? {};
  if (body === undefined)
    return refuse(call.reply, 400, "the result is no JSON object, too large or too deep");
  const { workerId, jobId = "" } = call.request.params;
  if (body["status"] === "IN_PROGRESS") call.fleet.progress(workerId, jobId, body["output"]);
  else call.fleet.done(workerId, jobId, endingOf(body));
  // The answer waits until the result is written, since the worker then forgets it.
  await call.journal?.written();
  return json(call.reply, 200, {});
}

function endingOf({ output, error }: JsonObject): HandlerEnding {
  if (error === undefined || error === null) return { kind: "returned", output: () => output };
  const message = typeof error === "string" ? error : JSON.stringify(error);
  return { kind: "raised", message, output };
}

function pollOf<Value>(reply: FastifyReply, { holdMs }: Fleet): Poll<Value> {
  const poll = new Poll<Value>(holdMs);
  reply.raw.once("close", () => poll.breakOff());
  return poll;
}

async function bodyOf({
  raw,
}: WorkerRequest): Promise<{ readonly body: JsonObject; readonly bytes: number } | undefined> {
  const payload = await readBody(raw, RESULT_BYTES_MAX);
  if (payload.kind !== "complete") return undefined;
  try {
    const value: unknown = readJson(payload.bytes);
    return isJsonObject(value) ? { body: value, bytes: payload.bytes.length } : undefined;
  } catch {
    return undefined;
  }
}

function refuse(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return json(reply, status, { status, detail });
}

function json(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).header("content-type", "application/json").send(JSON.stringify(body));
}
