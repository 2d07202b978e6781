import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { capabilities, jobKinds } from "../openapi/capabilities.ts";
import type { Capability } from "../openapi/capabilities.ts";
import { attempt, ControlRefusal, readCount, readHold, readNewEndpoint } from "./control-input.ts";
import type { ControlAnswer } from "./control-input.ts";
import { clockMsMax } from "./clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { JsonObject } from "./job.ts";
import type { Service } from "./service.ts";

export const CONTROL_PATH = "/__control";

interface ControlInfo {
  readonly protocol: string;
  readonly capabilities: readonly Capability[];
}

const info: ControlInfo = {
  protocol: "queueproof-control/1",
  // Everything but the kinds of jobs: those are named by a jobs file alone.
  capabilities: capabilities.filter((name) => !jobKinds.some((kind) => kind === name)),
};

/** Real workers know real time alone, and one that crashes takes the jobs of other endpoints along. */
const notWithRealWorkers: ReadonlySet<Capability> = new Set(["clock", "crash"]);

function infoOf({ fleet }: Service, without: readonly Capability[]): ControlInfo {
  const offered = info.capabilities.filter(
    (name) => !without.includes(name) && (fleet === undefined || !notWithRealWorkers.has(name)),
  );
  return { ...info, capabilities: offered };
}

type ControlCall = (endpoint: Endpoint, body: JsonObject) => ControlAnswer | Promise<ControlAnswer>;

type ControlRequest = FastifyRequest<{ Params: { readonly endpointId?: string } }>;

const BODY_BYTES_MAX = 1_048_576;

/** The control protocol, version 1 (docs/control-protocol.md). It has no key, so it answers loopback clients alone. */
export function serveControl(
  app: FastifyInstance,
  service: Service,
  without: readonly Capability[],
): void {
  const onEndpoint =
    (call: ControlCall) =>
    (request: ControlRequest, reply: FastifyReply): Promise<FastifyReply> =>
      answer(request, reply, async (body) => {
        const answered = await call(endpointOf(request, service), body);
        await service.journal?.written();
        return answered;
      });
  const one = `${CONTROL_PATH}/endpoints/:endpointId`;

  for (const root of [CONTROL_PATH, `${CONTROL_PATH}/`]) {
    app.get(root, (request: ControlRequest, reply) =>
      answer(request, reply, () => ok(infoOf(service, without))),
    );
  }
  app.post(`${CONTROL_PATH}/endpoints`, (request: ControlRequest, reply) =>
    answer(request, reply, async (body) => {
      const { id, apiKey, foreignKey } = service.create(readNewEndpoint(body, service.fleet));
      await service.journal?.written();
      return { status: 201, body: { endpointId: id, apiKey, foreignKey } };
    }),
  );
  app.delete(
    one,
    onEndpoint((endpoint) => {
      service.remove(endpoint);
      return { status: 204, body: undefined };
    }),
  );
  app.get(
    `${one}/clock`,
    onEndpoint(({ clock }) => ok({ nowMs: clock.nowMs(), mode: clock.mode })),
  );
  app.post(`${one}/clock/advance`, onEndpoint(advance));
  app.put(`${one}/workers`, onEndpoint(setWorkers));
  app.put(`${one}/hold`, onEndpoint(setHold));
  serveUnknownCalls(app);
}

/** What the protocol does not have is refused in its words, and not in those of the API. */
function serveUnknownCalls(app: FastifyInstance): void {
  app.all(`${CONTROL_PATH}/*`, refuse);
  app.route({ method: ["POST", "PUT", "PATCH", "DELETE"], url: CONTROL_PATH, handler: refuse });
}

function refuse(request: ControlRequest, reply: FastifyReply): Promise<FastifyReply> {
  return answer(request, reply, () => {
    throw new ControlRefusal(404, "the protocol has no such call");
  });
}

async function advance(endpoint: Endpoint, body: JsonObject): Promise<ControlAnswer> {
  const ms = readCount(body["ms"], "ms");
  if (endpoint.clock.nowMs() + ms > clockMsMax)
    throw new ControlRefusal(400, `ms would move the clock beyond ${clockMsMax} ms`);
  const nowMs = await endpoint.advance(ms);
  if (nowMs === undefined) throw new ControlRefusal(409, "the endpoint's clock is real");
  return ok({ nowMs });
}

function setWorkers(endpoint: Endpoint, body: JsonObject): ControlAnswer {
  const count = readCount(body["count"], "count");
  endpoint.setWorkers(count);
  return ok({ count });
}

function setHold(endpoint: Endpoint, body: JsonObject): ControlAnswer {
  const hold = readHold(body);
  endpoint.holds.set(hold.operation, hold.held);
  return ok(hold);
}

function ok(body: unknown): ControlAnswer {
  return { status: 200, body };
}

function endpointOf({ params }: ControlRequest, service: Service): Endpoint {
  const endpoint = service.find(params.endpointId ?? "");
  if (endpoint === undefined) throw new ControlRefusal(404, "there is no endpoint of this id");
  return endpoint;
}

async function answer(
  request: ControlRequest,
  reply: FastifyReply,
  call: (body: JsonObject) => ControlAnswer | Promise<ControlAnswer>,
): Promise<FastifyReply> {
  const { status, body } = await attempt(request, BODY_BYTES_MAX, call);
  reply.code(status);
  if (body === undefined) return reply.send();
  return reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(body));
}
