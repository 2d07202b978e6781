import fastify, { type FastifyInstance } from "fastify";

import { specified, type Behaviour } from "./behaviour.ts";
import type { ClockMode } from "./clock.ts";
import { CONTROL_PATH, serveControl } from "./control.ts";
import { send, serveJobApi } from "./http.ts";
import { problem } from "./answer.ts";
import { Service } from "./service.ts";

export { changed, specified, type Behaviour, type BehaviourChange } from "./behaviour.ts";
export { inDialect, referenceDialects } from "./dialects.ts";
export { faultNamed, faults, type Fault } from "./faults.ts";

export interface ReferenceOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Whether the control protocol is offered; default true. */
  readonly control?: boolean;
  readonly defaultEndpoint?: {
    /** Default real. */
    readonly clock?: ClockMode;
    /** Default 1. */
    readonly workers?: number;
  };
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
  /** Closes every socket and timer. */
  stop(): Promise<void>;
}

/** Enough for the bursts that the concurrency caps are tested with. */
const BACKLOG = 4_096;

/**
 * Starts the embedded implementation of the v2 API with one default endpoint. It accepts requests
 * when the promise settles; a port in use rejects with the error of Node (`code` EADDRINUSE).
 */
export async function startReference(options: ReferenceOptions = {}): Promise<Reference> {
  const { host = "127.0.0.1", port = 0, control = true, behaviour = specified } = options;
  const service = new Service(behaviour);
  const endpoint = service.create({
    clock: "real",
    ...options.defaultEndpoint,
    id: options.endpointId,
    apiKey: options.apiKey,
    foreignKey: options.foreignKey,
  });
  const app = createApp(behaviour);
  serveJobApi(app, service);
  if (control) serveControl(app, service);

  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    service.stop();
    throw error;
  }
  const baseUrl = urlOf(app, host);
  return {
    baseUrl,
    controlUrl: control ? `${baseUrl}${CONTROL_PATH}` : undefined,
    endpointId: endpoint.id,
    apiKey: endpoint.apiKey,
    foreignKey: endpoint.foreignKey,
    stop: async () => {
      service.stop();
      await app.close();
    },
  };
}

function createApp(behaviour: Behaviour): FastifyInstance {
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 4_096 },
    frameworkErrors: (error, _request, reply) => {
      void send(reply, undefined, problem(behaviour, 400, error.message), behaviour);
    },
  });
  // Payloads are read by the handlers, after the key and the limits were looked at.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  return app;
}

function urlOf(app: FastifyInstance, host: string): string {
  const [address] = app.addresses();
  const name = host.includes(":") ? `[${host}]` : host;
  const port = typeof address === "object" ? address.port : 0;
  return `http://${name}:${port}`;
}
