import { problem, type OperationAnswer, type OperationRequest } from "../answer.ts";
import { isJsonObject } from "../behaviour/submission.ts";
import type { JsonObject } from "../job.ts";
import { readJson } from "../read-json.ts";
import { askWorker } from "./ask-worker.ts";
import { completion, completionEvents, MODEL, type Kind } from "./echo-model.ts";

/**
 * Answers as an OpenAI-compatible worker does: where real workers are, they are asked; else with a model that repeats what it was told: models,
 * chat completions and completions, whole or as server-sent events.
 */
export function answerChat(request: OperationRequest): OperationAnswer | Promise<OperationAnswer> {
  const { method, path, endpoint, body } = request;
  if (endpoint.fleet !== undefined) return askWorker(request, parse(body) ?? {});
  if (method === "GET") return models(path);
  const kind = kinds.get(path);
  if (kind === undefined) return invalidRoute;

  const input = parse(body);
  if (input === undefined)
    return problem(endpoint.behaviour, 400, "the body must be a JSON object");
  const nowMs = endpoint.clock.nowMs();
  return input["stream"] === true
    ? { status: 200, body: undefined, events: completionEvents(kind, input, nowMs) }
    : { status: 200, body: completion(kind, input, nowMs) };
}

const kinds = new Map<string, Kind>([
  ["v1/chat/completions", "chat.completion"],
  ["v1/completions", "text_completion"],
]);

const invalidRoute: OperationAnswer = {
  status: 400,
  body: {
    code: 400,
    message: "Invalid route",
    object: "error",
    param: null,
    type: "BadRequestError",
  },
};

function models(path: string): OperationAnswer {
  if (path === "v1/models") return { status: 200, body: { object: "list", data: [MODEL] } };
  return path === `v1/models/${MODEL.id}` ? { status: 200, body: MODEL } : invalidRoute;
}

function parse(body: Buffer | undefined): JsonObject | undefined {
  try {
    const value: unknown = readJson(body ?? Buffer.alloc(0));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
