import { decoded, jsonOf, memberOf, queryOf } from "../recording/recorded-exchange.ts";
import type { RecordedExchange } from "../recording/recorded-exchange.ts";
import type { ArrivedRequest } from "../recording/relay.ts";

/** What a worker asks for or tells (docs/real-workers.md#what-the-emulator-speaks). */
export interface WorkerCall {
  readonly kind: "take" | "stop-poll" | "ping" | "chunk" | "progress" | "result";
  readonly workerId: string;
  /** The jobs that it is about: those given, named or told of. */
  readonly jobIds: readonly string[];
  readonly exchange: RecordedExchange;
}

/** A worker that asks for a job, as soon as its request is there. */
export interface JobRequest {
  readonly workerId: string;
  readonly atMs: number;
  /** Whether it says that it works on nothing. */
  readonly isIdle: boolean;
  /** How many it would take. */
  readonly size: number;
}

const callPath =
  /\/v2\/[^/]+\/(job-take|job-take-batch|job-stop|ping|job-stream|job-done)\/([^/?]+)(?:\/([^/?]+))?/;

const kinds: Readonly<Record<string, WorkerCall["kind"]>> = {
  "job-take": "take",
  "job-take-batch": "take",
  "job-stop": "stop-poll",
  ping: "ping",
  "job-stream": "chunk",
  "job-done": "result",
};

/** What an exchange is in the workers' protocol; undefined where it is a client's. */
export function workerCallOf(exchange: RecordedExchange): WorkerCall | undefined {
  const [, path = "", workerId = "", jobId] = callPath.exec(exchange.target) ?? [];
  const kind = kinds[path];
  if (kind === undefined) return undefined;
  const own = { workerId: decoded(workerId), exchange };
  if (kind === "take") return { ...own, kind, jobIds: givenIds(exchange) };
  if (kind === "ping") {
    const named = queryOf(exchange, "job_id") ?? "";
    return { ...own, kind, jobIds: named.split(",") };
  }
  const jobIds = jobId === undefined ? [] : [decoded(jobId)];
  const isProgress =
    kind === "result" && memberOf(jsonOf(exchange.body), "status") === "IN_PROGRESS";
  return { ...own, kind: isProgress ? "progress" : kind, jobIds };
}

/** The request for a job that has just come; undefined where it is another. */
export function jobRequestOf(request: ArrivedRequest, atMs: number): JobRequest | undefined {
  const [, path = "", workerId = ""] = callPath.exec(request.target) ?? [];
  if (kinds[path] !== "take") return undefined;
  const isIdle = queryOf(request, "job_in_progress") !== "1";
  const size = Number(queryOf(request, "batch_size") ?? 1);
  return { workerId: decoded(workerId), atMs, isIdle, size };
}

/** The ids of the jobs in the answer to a request for jobs, which is one job or a list. */
function givenIds({ answer }: RecordedExchange): readonly string[] {
  const given = answer === undefined ? undefined : jsonOf(answer.body);
  const jobs: readonly unknown[] = Array.isArray(given) ? given : [given];
  return jobs.map((job) => memberOf(job, "id")).filter((id) => typeof id === "string");
}
