import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { installedFile } from "../../openapi/installation.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { attempt, ControlRefusal, readCount } from "../control-input.ts";
import type { Endpoint } from "../endpoint.ts";
import type { JsonObject } from "../job.ts";
import { performers } from "../operations.ts";
import { refusalOfStranger } from "../own-page.ts";
import type { Service } from "../service.ts";
import { detailsOf, viewOf } from "./view.ts";

const CONSOLE_PATH = "/__console";
const BODY_BYTES_MAX = 20_971_520;

/** Lets the page load nothing from other hosts, run nothing inline, and stand in no frame. */
const protection = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

type ConsoleRequest = FastifyRequest<{
  Params: { readonly endpointId?: string; readonly jobId?: string; readonly number?: string };
  Querystring: { readonly endpoint?: string; readonly filter?: string };
}>;
type ConsoleCall = (request: ConsoleRequest, body: JsonObject) => unknown;

/**
 * Serves the page at `/` and what it asks for. The page has no key, so only this machine and the page itself are
 * answered. Its requests go through the same operations as requests with a key, but no limit counts them.
 */
export async function serveConsole(app: FastifyInstance, service: Service): Promise<void> {
  for (const { path, name, type } of pages) {
    const text = await readFile(locationOf(name), "utf8");
    app.get(path, (request: ConsoleRequest, reply) => {
      const refusal = refusalOfStranger(request);
      const refused = refusal !== undefined;
      return reply
        .code(refused ? 403 : 200)
        .headers(protection)
        .header("content-type", `${refused ? "text/plain" : type}; charset=utf-8`)
        .send(refusal ?? text);
    });
  }
  const one = `${CONSOLE_PATH}/endpoints/:endpointId`;
  const serve = (method: "GET" | "POST", url: string, call: ConsoleCall): void => {
    const kept: ConsoleCall = async (request, body) => {
      const answered = await call(request, body);
      await service.journal?.written();
      return answered;
    };
    app.route({
      method,
      url,
      handler: (request: ConsoleRequest, reply) => answer(request, reply, kept),
    });
  };
  const perform = (method: "GET" | "POST", url: string, operation: OperationName): void =>
    serve(method, url, (request, body) =>
      performed(endpointOf(request, service), operation, request.params.jobId ?? "", body),
    );
  serve("GET", `${CONSOLE_PATH}/state`, ({ query }) =>
    viewOf(service, query.endpoint, query.filter),
  );
  serve("GET", `${CONSOLE_PATH}/requests/:number`, ({ params }) => {
    const found = service.requests?.find(Number(params.number));
    if (found === undefined) throw new ControlRefusal(404, "this request is not kept any more");
    return found;
  });
  serve("GET", `${one}/jobs/:jobId`, (request) => {
    const endpoint = endpointOf(request, service);
    const job = endpoint.find(request.params.jobId ?? "", "status");
    if (job === undefined) throw new ControlRefusal(404, "this job is not there any more");
    return detailsOf(endpoint, job, service.workerLines);
  });
  perform("POST", `${one}/run`, "run");
  perform("POST", `${one}/jobs/:jobId/cancel`, "cancel");
  perform("POST", `${one}/jobs/:jobId/retry`, "retry");
  perform("POST", `${one}/purge`, "purge-queue");
  serve("POST", `${one}/workers`, (request, body) =>
    endpointOf(request, service).setWorkers(readCount(body["count"], "count")),
  );
  serve("POST", `${one}/advance`, async (request, body) => {
    const nowMs = await endpointOf(request, service).advance(readCount(body["ms"], "ms"));
    if (nowMs === undefined) throw new ControlRefusal(409, "the endpoint's clock is real");
  });
}

const pages = [
  { path: "/", name: "index.html", type: "text/html" },
  { path: `${CONSOLE_PATH}/page.css`, name: "page.css", type: "text/css" },
  { path: `${CONSOLE_PATH}/page.js`, name: "page.js", type: "text/javascript" },
  { path: `${CONSOLE_PATH}/requests.js`, name: "requests.js", type: "text/javascript" },
  { path: `${CONSOLE_PATH}/view.js`, name: "view.js", type: "text/javascript" },
] as const;

/** The page lies beside its source, and its scripts lie where the build has put them. */
function locationOf(name: string): URL {
  const places = ["reference/console/page/", "dist/reference/console/page/"];
  const found = places.map((place) => installedFile(`${place}${name}`)).find(existsSync);
  if (found === undefined) throw new Error(`${name} of the page is missing: run npm run build`);
  return found;
}

function endpointOf({ params }: ConsoleRequest, service: Service): Endpoint {
  const endpoint = service.find(params.endpointId ?? "");
  if (endpoint === undefined) throw new ControlRefusal(404, "this endpoint is not there any more");
  return endpoint;
}

async function performed(
  endpoint: Endpoint,
  operation: OperationName,
  jobId: string,
  body: JsonObject,
): Promise<unknown> {
  const answered = await performers[operation]({
    endpoint,
    operation,
    jobId,
    path: "",
    method: "POST",
    holdMs: 0,
    query: {},
    contentType: "application/json",
    isChunked: false,
    body: Buffer.from(JSON.stringify(body)),
    onBrokenOff: () => {},
    onDue: () => {},
  });
  if (answered.status >= 400) throw new ControlRefusal(answered.status, detailOf(answered.body));
  return answered.body;
}

/** The `detail` of an error, or the whole error as JSON where its dialect has none. */
function detailOf(body: unknown): string {
  if (typeof body !== "object" || body === null) return String(body);
  if ("detail" in body) return String(body.detail);
  return JSON.stringify(body);
}

async function answer(
  request: ConsoleRequest,
  reply: FastifyReply,
  call: ConsoleCall,
): Promise<FastifyReply> {
  reply.headers(protection).header("content-type", "application/json; charset=utf-8");
  const { status, body } = await attempt(request, BODY_BYTES_MAX, async (sent) => ({
    status: 200,
    body: (await call(request, sent)) ?? {},
  }));
  return reply.code(status).send(JSON.stringify(body));
}
