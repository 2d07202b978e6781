import fastify, { type FastifyInstance } from "fastify";
import type { Capability } from "../openapi/capabilities.ts";
import { specified, type Behaviour } from "./behaviour.ts";
import type { ClockMode } from "./clock.ts";
import { serveConsole } from "./console/serve-console.ts";
import { CONTROL_PATH, serveControl } from "./control.ts";
import type { Endpoint } from "./endpoint.ts";
import { send, serveJobApi } from "./http.ts";
import { problem } from "./answer.ts";
import { functionHandler, tableHandler } from "./own-handler.ts";
import type { JobHandler, HandlerFunction, HandlerRow } from "./own-handler.ts";
import { RequestLog } from "./request-log.ts";
import type { LoggedRequest } from "./request-log.ts";
import { Service, type NewEndpoint, type WorkerLines } from "./service.ts";
import { layOut } from "./store/lay-out.ts";
import type { StateFile } from "./store/state-file.ts";
import type { OpenStore } from "./store/store.ts";
import { isLoopbackHost, WebhookTargets } from "./webhook-targets.ts";
import { Fleet } from "./worker-protocol/fleet.ts";
import type { FleetOptions } from "./worker-protocol/fleet.ts";
import { serveWorkerProtocol } from "./worker-protocol/serve-worker-protocol.ts";
import { workerEnvironment } from "./worker-protocol/fleet.ts";
import type { Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const SWEEP_EVERY_MS = 20;

/**
 * Takes no new connection, lets every request under way be answered, closes each connection after its
 * answer, and settles when none is left. What is not answered after `withinMs` is broken off.
 */
async function drain(server: Server, withinMs: number): Promise<void> {
  server.prependListener("request", (_request, response) => {
    response.setHeader("connection", "close");
  });
  const closed = new Promise<"closed">((resolve) => {
    server.close(() => resolve("closed"));
  });
  // A connection on which a request was under way becomes idle only after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  const giveUp = new AbortController();
  const late = pause(withinMs, "late" as const, { signal: giveUp.signal }).catch(() => "late");
  await Promise.race([closed, late]);
  giveUp.abort();
  clearInterval(sweep);
  server.closeAllConnections();
}

export interface ReferenceOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Whether the control protocol is offered, and what it says that it lacks; default true, all of it. */
  readonly control?: boolean | { readonly without: readonly Capability[] };
  /** Real workers do the work, of the default endpoint and of those made through control. */
  readonly externalWorkers?: FleetOptions | undefined;
  /** What they printed, for the page to show beside their jobs. */
  readonly workerLines?: WorkerLines | undefined;
  /**
   * What the workers do with a job, in place of the conformance handler: a function that returns the output, or an async
   * generator of chunks, or a table of inputs.
   */
  readonly handler?: HandlerFunction | readonly HandlerRow[] | undefined;
  /** Is called with every request of the job API that was answered or broken off; default nobody is. */
  readonly onRequest?: ((request: LoggedRequest) => void) | undefined;
  /** Whether there is a page at `/` to look at it and to try it; default false. */
  readonly console?: boolean;
  /** Whether there are figures for Prometheus at `/metrics`; default false. */
  readonly metrics?: boolean;
  readonly defaultEndpoint?: {
    /** Default real. */
    readonly clock?: ClockMode;
    /** Default 1; with external workers as many as come. */
    readonly workers?: number;
  };
  /** Endpoints in place of the default one; the first of them is what the reference tells of. */
  readonly endpoints?: readonly NewEndpoint[];
  /** Where everything is kept that has to survive a restart; default nowhere. */
  readonly stateFile?: string | undefined;
  /** How the state file is opened; default as SQLite. */
  readonly openStore?: OpenStore | undefined;
  /** Is given a line about what an operator has to know; default nobody is. */
  readonly log?: ((line: string) => void) | undefined;
  /**
   * Where webhooks may go: `any`, `loopback`, names and addresses of hosts. Default any or, where the host lets other
   * machines in, anywhere but to this machine itself.
   */
  readonly webhookTo?: readonly string[] | undefined;
  /**
   * Names under which clients on this machine may ask for the job API, besides localhost and addresses: a web page that
   * has its own name resolved to this machine may not. Default any.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Default `specified`. */
  readonly behaviour?: Behaviour;
  /** The default endpoint's; chosen at random when absent. */
  readonly endpointId?: string;
  readonly apiKey?: string;
  readonly foreignKey?: string;
}

export interface Reference {
  readonly baseUrl: string;
  readonly controlUrl: string | undefined;
  readonly endpointId: string;
  readonly apiKey: string;
  readonly foreignKey: string;
  /** What to start external workers with; undefined where the built-in handler works. */
  readonly workerEnvironment: Readonly<Record<string, string>> | undefined;
  /**
   * Closes every socket and timer. With `withinMs` it accepts no new connection from now on and first
   * lets the requests under way end, for so long at most. Rejects, with everything closed all the same,
   * where the state file cannot be written any more.
   */
  stop(options?: { readonly withinMs?: number }): Promise<void>;
}

/** How long a request may take to come: 20 MB on a line of 2 Mbit/s. */
const REQUEST_MS_MAX = 90_000;

/** Enough for the bursts that the concurrency caps are tested with. */
const BACKLOG = 4_096;

/**
 * Starts the embedded implementation of the v2 API with one default endpoint. It accepts requests
 * when the promise settles; a port in use rejects with the error of Node (`code` EADDRINUSE).
 */
export async function startReference(options: ReferenceOptions = {}): Promise<Reference> {
  const { host = "127.0.0.1", port = 0, control = true, behaviour = specified } = options;
  const { externalWorkers } = options;
  const state = await openStateFile(options);
  const fleet = fleetOf(externalWorkers);
  const service = serviceOf(options, { state, fleet });
  const endpoint = await foundEndpoints(service, state, options);
  const app = createApp(behaviour);
  // A worker sends a result on the connection by which it was given the job, however long that took.
  if (fleet !== undefined) app.server.keepAliveTimeout = 0;
  service.requests?.watch(app);
  await serveEverything(app, service, options);

  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    service.stop();
    state?.abandon();
    throw error;
  }
  const baseUrl = urlOf(app, host);
  return {
    baseUrl,
    controlUrl: control !== false ? `${baseUrl}${CONTROL_PATH}` : undefined,
    endpointId: endpoint.id,
    apiKey: endpoint.apiKey,
    foreignKey: endpoint.foreignKey,
    workerEnvironment: fleet && workerEnvironment(baseUrl, endpoint, fleet),
    stop: async ({ withinMs = 0 } = {}) => {
      if (withinMs > 0) await drain(app.server, withinMs);
      try {
        state?.close();
      } finally {
        service.stop();
        await app.close();
      }
    },
  };
}

function serviceOf(
  options: ReferenceOptions,
  { state, fleet }: { readonly state: StateFile | undefined; readonly fleet: Fleet | undefined },
): Service {
  const { host = "127.0.0.1", behaviour = specified, webhookTo: allowed, log, onRequest } = options;
  const webhookTargets = new WebhookTargets({ allowed, isOpen: !isLoopbackHost(host), log });
  const isWatched = options.console === true || onRequest !== undefined;
  return new Service(behaviour, {
    journal: state,
    handler: handlerOf(options),
    fleet,
    workerLines: options.workerLines,
    webhookTargets,
    requests: isWatched ? new RequestLog(onRequest) : undefined,
  });
}

/** The store and its database are for servers alone: a run of the suite starts without them. */
async function openStateFile(options: ReferenceOptions): Promise<StateFile | undefined> {
  const { stateFile, openStore, log } = options;
  if (stateFile === undefined) return undefined;
  const store = await import("./store/state-file.ts");
  return store.StateFile.open(stateFile, { openStore, log });
}

async function serveEverything(
  app: FastifyInstance,
  service: Service,
  { control = true, console = false, metrics = false, allowedHosts }: ReferenceOptions,
): Promise<void> {
  serveJobApi(app, service, { allowedHosts });
  serveWorkerProtocol(app, service);
  if (control !== false) serveControl(app, service, control === true ? [] : control.without);
  if (console) await serveConsole(app, service);
  if (metrics) {
    // Its library is for servers alone: a run of the suite starts without it.
    const { serveMetrics } = await import("./metrics.ts");
    serveMetrics(app, service);
  }
}

function handlerOf({ handler }: ReferenceOptions): JobHandler | undefined {
  if (handler === undefined) return undefined;
  return typeof handler === "function" ? functionHandler(handler) : tableHandler(handler);
}

function fleetOf(workers: ReferenceOptions["externalWorkers"]): Fleet | undefined {
  return workers === undefined ? undefined : new Fleet(workers);
}

/** Makes the endpoints, with what the state file knows of them, and answers the default one. */
async function foundEndpoints(
  service: Service,
  state: StateFile | undefined,
  options: ReferenceOptions,
): Promise<Endpoint> {
  const { endpointId: id, apiKey, foreignKey, defaultEndpoint } = options;
  const wanted = options.endpoints ?? [
    { clock: "real", ...defaultEndpoint, id, apiKey, foreignKey },
  ];
  try {
    const endpoint = layOut(service, wanted, state);
    state?.flush();
    return endpoint;
  } catch (error) {
    service.stop();
    state?.abandon();
    throw error;
  }
}

function createApp(behaviour: Behaviour): FastifyInstance {
  const app = fastify({
    forceCloseConnections: true,
    // A body that does not come keeps its place among those in flight no longer than this.
    requestTimeout: REQUEST_MS_MAX,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 4_096 },
    // No route has a schema, so the compilers that Fastify would load for them stay out of the process.
    schemaController: {
      compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
    },
    frameworkErrors: (error, _request, reply) => {
      void send(reply, undefined, problem(behaviour, 400, error.message), behaviour);
    },
  });
  // Payloads are read by the handlers, after the key and the limits were looked at.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  return app;
}

function refuseSchema(): never {
  throw new Error("the reference checks and writes its JSON itself: give no route a schema");
}

function urlOf(app: FastifyInstance, host: string): string {
  const [address] = app.addresses();
  const name = host.includes(":") ? `[${host}]` : host;
  const port = typeof address === "object" ? address.port : 0;
  return `http://${name}:${port}`;
}
