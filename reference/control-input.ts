import type { FastifyRequest } from "fastify";

import type { OperationName } from "../openapi/operations.ts";
import { isJsonObject } from "./behaviour/submission.ts";
import type { JsonObject } from "./job.ts";
import { performers } from "./operations.ts";
import { refusalOfStranger } from "./own-page.ts";
import { readBody } from "./read-body.ts";
import { readJson } from "./read-json.ts";
import type { NewEndpoint } from "./service.ts";
import type { Fleet } from "./worker-protocol/fleet.ts";
import type { WorkerPlan } from "./workers.ts";

/** A refused control call: `status` is the answer's, the message its `error`. */
export class ControlRefusal extends Error {
  override readonly name = "ControlError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The object that a request without a key carries, where it may be answered.
 * @throws ControlRefusal where a stranger sends it, or its body is larger than `bytesMax` or no JSON object
 */
async function readOwnRequest(request: FastifyRequest, bytesMax: number): Promise<JsonObject> {
  const refusal = refusalOfStranger(request);
  if (refusal !== undefined) throw new ControlRefusal(403, refusal);
  const payload = await readBody(request.raw, bytesMax);
  if (payload.kind !== "complete") throw new ControlRefusal(413, "the body is too large");
  return readObject(payload.bytes);
}

export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What a call answers to the object that a request without a key carries, or why it is refused. */
export async function attempt(
  request: FastifyRequest,
  bytesMax: number,
  call: (body: JsonObject) => ControlAnswer | Promise<ControlAnswer>,
): Promise<ControlAnswer> {
  try {
    return await call(await readOwnRequest(request, bytesMax));
  } catch (error) {
    if (!(error instanceof ControlRefusal)) throw error;
    return { status: error.status, body: { error: error.message } };
  }
}

/** The object of a payload; an empty one stands for `{}`. */
function readObject(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = readJson(bytes);
  } catch (error) {
    throw new ControlRefusal(400, error instanceof Error ? error.message : String(error));
  }
  if (!isJsonObject(value)) throw new ControlRefusal(400, "the body must be a JSON object");
  return value;
}

/** `fleet`: the real workers of the server, which know real time alone. */
export function readNewEndpoint(body: JsonObject, fleet: Fleet | undefined): NewEndpoint {
  const { allowance, clock, executionTimeoutMs } = body;
  if (clock !== undefined && clock !== "virtual" && clock !== "real") {
    throw new ControlRefusal(400, 'clock must be "virtual" or "real"');
  }
  if (fleet !== undefined && clock === "virtual") {
    throw new ControlRefusal(400, 'the workers are real processes: clock must be "real"');
  }
  return {
    workers: readWorkerPlan(body),
    allowancePerWorker: allowance === undefined ? 0 : readCount(allowance, "allowance"),
    clock: clock ?? (fleet === undefined ? "virtual" : "real"),
    executionTimeoutMs:
      executionTimeoutMs === undefined
        ? undefined
        : readCount(executionTimeoutMs, "executionTimeoutMs", 1),
  };
}

export function readCount(value: unknown, name: string, minimum = 0): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < minimum) {
    throw new ControlRefusal(400, `${name} must be an integer of ${minimum} or more`);
  }
  return value;
}

export function readHold({ operation, held }: JsonObject): {
  readonly operation: OperationName;
  readonly held: boolean;
} {
  if (!isOperation(operation)) {
    throw new ControlRefusal(400, `operation must be one of ${Object.keys(performers).join(", ")}`);
  }
  if (typeof held !== "boolean") throw new ControlRefusal(400, "held must be a boolean");
  return { operation, held };
}

function readWorkerPlan({ workers, scaling }: JsonObject): WorkerPlan {
  if (scaling === undefined) return workers === undefined ? 1 : readCount(workers, "workers");
  if (workers !== undefined)
    throw new ControlRefusal(400, "workers and scaling exclude each other");
  if (!isJsonObject(scaling)) throw new ControlRefusal(400, "scaling must be an object");
  const min = readCount(scaling["min"], "scaling.min");
  const max = readCount(scaling["max"], "scaling.max");
  if (min > max) throw new ControlRefusal(400, "scaling.min must not be above scaling.max");
  return { min, max };
}

function isOperation(value: unknown): value is OperationName {
  return typeof value === "string" && Object.hasOwn(performers, value);
}
