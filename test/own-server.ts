import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { onTestFinished } from "vitest";

import { parseJson } from "../client/parse-json.ts";
import { running } from "./running-server.ts";

/** What the server does wrong; by default nothing that its tests look at. */
export interface OwnServerFaults {
  /** These operations let anybody in. */
  readonly open?: readonly string[];
  /** A cancelled job goes on. */
  readonly cancelsNothing?: boolean;
  /** An unknown job is answered as a completed one. */
  readonly knowsEveryJob?: boolean;
  /** These answers of a webhook's receiver count as success, beside 200. */
  readonly acknowledges?: readonly number[];
  /** A submission without input is accepted. */
  readonly needsNoInput?: boolean;
  /** A retried job stays as it is. */
  readonly retriesNothing?: boolean;
}

interface OwnJob {
  readonly id: string;
  readonly input: unknown;
  readonly webhook: string | undefined;
  status: string;
  output?: unknown;
  endsAtMs: number;
}

interface OwnEndpoint {
  readonly apiKey: string;
  readonly jobs: Map<string, OwnJob>;
  readonly calls: { readonly job: OwnJob; readonly dueMs: number; readonly attempt: number }[];
  nowMs: number;
  workers: number;
}

interface OwnAnswer {
  readonly status: number;
  readonly body: unknown;
}

const final = new Set(["COMPLETED", "FAILED", "CANCELLED"]);
const webhookSpacingMs = 10_000;
const webhookAttemptsMax = 3;
/** How long the receiver of a webhook may be silent. */
const receiverTimeoutMs = 300;

/**
 * A server that has nothing in common with the reference: a few dozen lines that keep jobs in a map and speak a control
 * protocol of their own, with faults to be found. It ends with the test.
 */
export async function startOwnServer(faults: OwnServerFaults = {}): Promise<{
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly endpoints: () => number;
}> {
  const rig = new OwnRig(faults);
  const server = createServer((request, response) => {
    void rig.answer(request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" });
      return response.end(body === undefined ? "" : JSON.stringify(body, null, 1));
    });
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  return { baseUrl, controlUrl: `${baseUrl}/rig`, endpoints: () => rig.endpoints.size };
}

class OwnRig {
  readonly endpoints = new Map<string, OwnEndpoint>();
  readonly #faults: OwnServerFaults;
  #count = 0;

  constructor(faults: OwnServerFaults) {
    this.#faults = faults;
  }

  async answer(request: IncomingMessage): Promise<OwnAnswer> {
    const body = await text(request);
    const { pathname } = new URL(request.url ?? "/", "http://own");
    const [, segment = "", ...path] = pathname.split("/").map(decodeURIComponent);
    if (segment === "rig") return this.#control(request.method ?? "", path, membersOf(body));
    const [endpointId = "", operation = "", jobId = ""] = path;
    const endpoint = this.endpoints.get(endpointId);
    const key = request.headers.authorization?.replace(/^Bearer /, "");
    if (endpoint === undefined || !this.#letsIn(endpoint, operation, key)) return refusal(401);
    return this.#operation(endpoint, { operation, jobId, body });
  }

  #letsIn({ apiKey }: OwnEndpoint, operation: string, key: string | undefined): boolean {
    return key === apiKey || this.#faults.open?.includes(operation) === true;
  }

  async #control(
    method: string,
    [, endpointId = "", what = ""]: readonly string[],
    body: Members,
  ): Promise<OwnAnswer> {
    if (endpointId === "") return method === "POST" ? this.#makeEndpoint(body) : { ...offered };
    const endpoint = this.endpoints.get(endpointId);
    if (endpoint === undefined) return refusal(404);
    if (method === "DELETE") {
      this.endpoints.delete(endpointId);
      return { status: 204, body: undefined };
    }
    if (what === "workers") {
      endpoint.workers = Number(body["count"]);
      work(endpoint);
      return { status: 200, body: { count: endpoint.workers } };
    }
    if (method === "POST") endpoint.nowMs += await this.#advance(endpoint, Number(body["ms"]));
    return { status: 200, body: { nowMs: endpoint.nowMs, mode: "virtual" } };
  }

  #makeEndpoint(body: Members): OwnAnswer {
    this.#count += 1;
    const endpointId = `own-${this.#count}`;
    const apiKey = `key-of-own-${this.#count}`;
    const workers = Number(body["workers"] ?? 1);
    this.endpoints.set(endpointId, { apiKey, jobs: new Map(), calls: [], nowMs: 0, workers });
    return { status: 201, body: { endpointId, apiKey, foreignKey: `foreign-${apiKey}` } };
  }

  /** Does everything that is due by then, webhook calls included; returns how far the clock has still to move. */
  async #advance(endpoint: OwnEndpoint, ms: number): Promise<number> {
    const untilMs = endpoint.nowMs + ms;
    for (;;) {
      work(endpoint);
      const ends = [...endpoint.jobs.values()].filter(({ status }) => status === "IN_PROGRESS");
      const moments = [
        ...ends.map(({ endsAtMs }) => endsAtMs),
        ...endpoint.calls.map(({ dueMs }) => dueMs),
      ];
      const nextMs = Math.min(...moments);
      if (nextMs > untilMs) return untilMs - endpoint.nowMs;
      endpoint.nowMs = Math.max(endpoint.nowMs, nextMs);
      await this.#call(endpoint);
    }
  }

  async #call(endpoint: OwnEndpoint): Promise<void> {
    const due = endpoint.calls.filter(({ dueMs }) => dueMs <= endpoint.nowMs);
    for (const call of due) {
      endpoint.calls.splice(endpoint.calls.indexOf(call), 1);
      const { job, attempt } = call;
      const request = {
        method: "POST",
        body: JSON.stringify(recordOf(job)),
        redirect: "manual",
        signal: AbortSignal.timeout(receiverTimeoutMs),
      } as const;
      const status = await fetch(job.webhook ?? "", request).then(
        (answer) => answer.status,
        () => 0,
      );
      const isTaken = status === 200 || this.#faults.acknowledges?.includes(status) === true;
      if (isTaken || attempt === webhookAttemptsMax) continue;
      endpoint.calls.push({ job, dueMs: endpoint.nowMs + webhookSpacingMs, attempt: attempt + 1 });
    }
  }

  #operation(endpoint: OwnEndpoint, call: OwnCall): OwnAnswer {
    const { operation, jobId, body } = call;
    if (operation === "run" || operation === "runsync") {
      return this.#submit(endpoint, operation, membersOf(body));
    }
    if (operation === "health") return { status: 200, body: healthOf(endpoint) };
    if (operation === "purge-queue")
      return { status: 200, body: { removed: 0, status: "completed" } };
    const madeUp = this.#faults.knowsEveryJob === true ? madeUpJob(jobId) : undefined;
    const job = endpoint.jobs.get(jobId) ?? madeUp;
    return job === undefined ? refusal(404) : this.#answerOf(job, operation);
  }

  #answerOf(job: OwnJob, operation: string): OwnAnswer {
    if (operation === "cancel") return this.#cancel(job);
    if (operation === "retry") return this.#retry(job);
    const more = operation === "stream" ? { stream: [] } : {};
    return { status: 200, body: { ...recordOf(job), ...more } };
  }

  #cancel(job: OwnJob): OwnAnswer {
    if (!final.has(job.status) && this.#faults.cancelsNothing !== true) job.status = "CANCELLED";
    return { status: 200, body: { ...recordOf(job), status: "CANCELLED" } };
  }

  #retry(job: OwnJob): OwnAnswer {
    if (job.status !== "FAILED") return refusal(400);
    if (this.#faults.retriesNothing !== true) job.status = "IN_QUEUE";
    return { status: 200, body: { ...recordOf(job), status: job.status } };
  }

  #submit(endpoint: OwnEndpoint, operation: string, { input, webhook }: Members): OwnAnswer {
    const isInput = typeof input === "object" && input !== null && !Array.isArray(input);
    if (!isInput && this.#faults.needsNoInput !== true) return refusal(400);
    this.#count += 1;
    const id = `job-${this.#count}`;
    const url = typeof webhook === "string" ? webhook : undefined;
    const job: OwnJob = { id, input, webhook: url, status: "IN_QUEUE", endsAtMs: 0 };
    endpoint.jobs.set(id, job);
    const asSubmitted = recordOf(job);
    work(endpoint);
    return { status: 200, body: operation === "run" ? asSubmitted : recordOf(job) };
  }
}

interface OwnCall {
  readonly operation: string;
  readonly jobId: string;
  readonly body: string;
}

/** The answer of the control protocol about its capabilities. */
const offered: OwnAnswer = {
  status: 200,
  body: {
    protocol: "queueproof-control/1",
    capabilities: ["handler", "endpoints", "clock", "workers"],
  },
};

type Members = Readonly<Record<string, unknown>>;

function membersOf(json: string): Members {
  const value = parseJson(json);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Ends the jobs that are over and starts those for which a worker is free. */
function work(endpoint: OwnEndpoint): void {
  const jobs = [...endpoint.jobs.values()];
  for (const job of jobs.filter(({ status }) => status === "IN_PROGRESS")) {
    if (job.endsAtMs <= endpoint.nowMs) finish(endpoint, job);
  }
  for (const job of jobs.filter(({ status }) => status === "IN_QUEUE")) {
    const busy = jobs.filter(({ status }) => status === "IN_PROGRESS").length;
    if (busy >= endpoint.workers) return;
    const { op, ms } = membersOf(JSON.stringify(job.input));
    job.status = "IN_PROGRESS";
    job.endsAtMs = endpoint.nowMs + (op === "sleep" ? Number(ms) : 0);
    if (job.endsAtMs <= endpoint.nowMs) finish(endpoint, job);
  }
}

function finish(endpoint: OwnEndpoint, job: OwnJob): void {
  const { op, value = null } = membersOf(JSON.stringify(job.input));
  job.status = op === "echo" || op === "sleep" ? "COMPLETED" : "FAILED";
  if (job.status !== "COMPLETED") return;
  job.output = { value };
  if (job.webhook !== undefined) endpoint.calls.push({ job, dueMs: endpoint.nowMs, attempt: 1 });
}

function recordOf({ id, status, output }: OwnJob): Members {
  const times = final.has(status) ? { delayTime: 0, executionTime: 0 } : {};
  return { id, status, ...times, ...(output !== undefined && { output }) };
}

function madeUpJob(id: string): OwnJob {
  return { id, input: {}, webhook: undefined, status: "COMPLETED", output: null, endsAtMs: 0 };
}

function healthOf({ jobs, workers }: OwnEndpoint): Members {
  const count = (wanted: string): number =>
    [...jobs.values()].filter(({ status }) => status === wanted).length;
  return {
    jobs: {
      completed: count("COMPLETED"),
      failed: count("FAILED"),
      inProgress: count("IN_PROGRESS"),
      inQueue: count("IN_QUEUE"),
      retried: 0,
    },
    workers: { idle: workers - count("IN_PROGRESS"), running: count("IN_PROGRESS") },
  };
}

function refusal(status: number): OwnAnswer {
  return { status, body: { error: `refused with ${status}` } };
}
