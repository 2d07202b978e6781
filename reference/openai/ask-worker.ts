import { whenTold, type OperationAnswer, type OperationRequest } from "../answer.ts";
import { isJsonObject } from "../behaviour/submission.ts";
import type { Job, JsonObject } from "../job.ts";
import { isFinal } from "../transitions.ts";

/** How long a worker may take, as runsync waits when it is not told. */
const WAIT_MS = 90_000;

/** Gives a call to a worker as a job, and answers what its handler returned or yields. */
export async function askWorker(
  request: OperationRequest,
  input: JsonObject,
): Promise<OperationAnswer> {
  const { endpoint, path } = request;
  const route = `/${path}`;
  const wrapped = { openai_route: route, openai_input: input };
  const job = endpoint.submit("runsync", { input: wrapped, policy: {} }, WAIT_MS);
  if (input["stream"] === true) return { status: 200, body: undefined, events: eventsOf(job) };
  if (!isFinal(job.status)) await whenTold(request, job.waiters, WAIT_MS);
  if (job.status !== "COMPLETED") {
    const message = job.error ?? `the job is ${job.status}`;
    return { status: 500, body: { error: { message, type: "server_error", code: 500 } } };
  }
  return answered(job.output);
}

/** A generator's output is the list of what it yielded, and a call that is not streamed yields once. */
function answered(output: unknown): OperationAnswer {
  const list: readonly unknown[] = Array.isArray(output) ? output : [];
  const body = list.length === 1 ? list[0] : output;
  const code = isJsonObject(body) && body["object"] === "error" ? body["code"] : 200;
  return { status: typeof code === "number" ? code : 400, body: body ?? null };
}

/** Chunks that are text are events already; others become one event each. */
async function* eventsOf(job: Job): AsyncGenerator<string> {
  let read = 0;
  for (;;) {
    const chunks = job.chunks.slice(read);
    read += chunks.length;
    for (const chunk of chunks) {
      yield typeof chunk === "string" ? chunk : `data: ${JSON.stringify(chunk)}\n\n`;
    }
    if (isFinal(job.status) || job.isDeleted) return;
    await new Promise<void>((resolve) => {
      job.listeners.add(resolve);
    });
  }
}
