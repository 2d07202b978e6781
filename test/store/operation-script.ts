import { isJsonObject } from "../../reference/behaviour/submission.ts";
import type { JsonObject } from "../../reference/job.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { callJson, type JsonAnswer, type RigReceiver } from "../rig.ts";

/** The endpoint of the script, with one worker to begin with. */
export const endpoint = {
  id: "e",
  apiKey: "k",
  foreignKey: "f",
  clock: "virtual",
} as const;

interface ReportedJob {
  readonly status: string;
  readonly output: unknown;
  /** Whether no request came since, so that the job must still be exactly so. */
  isLatest: boolean;
}

/** What a server has reported to its clients and webhook receivers. */
export interface ReportedState {
  readonly jobs: Map<string, ReportedJob>;
  /** The job counts of health; undefined where a request came since. */
  counts: unknown;
  /** An endpoint that was made by the control protocol, and one that was removed by it. */
  made: Made | undefined;
  removed: Made | undefined;
  /** Whether jobs may be gone because of a purge or a ttl. */
  mayBeRemoved: boolean;
  /** How many requests were answered 500. */
  refusals: number;
}

export function createReportedState(): ReportedState {
  return {
    jobs: new Map(),
    counts: undefined,
    made: undefined,
    removed: undefined,
    mayBeRemoved: false,
    refusals: 0,
  };
}

interface Made {
  readonly id: string;
  readonly key: string;
}

const echo = { input: { op: "echo", value: 1 } };

/** Changes jobs, endpoints and clocks of one server in every way there is, and reads all jobs after each step. */
export class OperationScript {
  readonly reported: ReportedState;
  readonly #server: Reference;
  readonly #receiver: RigReceiver;

  constructor(reported: ReportedState, server: Reference, receiver: RigReceiver) {
    this.reported = reported;
    this.#server = server;
    this.#receiver = receiver;
  }

  async run(): Promise<void> {
    const webhook = this.#receiver.url;
    await this.#submit("/run", { input: { op: "sleep", ms: 1_000, value: "slept" } });
    await this.#submit("/run", echo);
    await this.#control("POST", "/clock/advance", { ms: 1_000 });
    await this.#submit("/run", { input: { op: "stream", count: 2, intervalMs: 10 }, webhook });
    await this.#control("POST", "/clock/advance", { ms: 20 });
    await this.#withEach("GET", "/stream");
    await this.#submit("/runsync", { input: { op: "flaky", failures: 1 }, webhook });
    await this.#withEach("POST", "/retry");
    await this.#makeEndpoint();
    await this.#control("PUT", "/workers", { count: 0 });
    await this.#submit("/run", echo);
    await this.#withEach("POST", "/cancel");
    await this.#submit("/run", echo);
    this.reported.mayBeRemoved = true;
    await this.#ask("POST", "/purge-queue");
    await this.#submit("/run", { ...echo, policy: { ttl: 10_000 } });
    await this.#control("POST", "/clock/advance", { ms: 10_001 });
    await this.#removeEndpoint();
    await this.#control("PUT", "/workers", { count: 1 });
    await this.#submit("/run", { ...echo, webhook });
    await this.#control("POST", "/clock/advance", { ms: 30_000 });
  }

  async #submit(path: string, body: JsonObject): Promise<void> {
    const answer = await this.#ask("POST", path, body);
    // run answers IN_QUEUE even where the job has ended in the meantime.
    if (answer.status === 200) this.#noteJob(answer.body, false);
    await this.#readAll();
  }

  async #withEach(method: string, operation: string): Promise<void> {
    for (const id of this.reported.jobs.keys()) await this.#ask(method, `${operation}/${id}`);
    await this.#readAll();
  }

  async #control(method: string, path: string, body: JsonObject): Promise<void> {
    await this.#ask(method, path, body, `${this.#server.controlUrl}/endpoints/${endpoint.id}`);
    await this.#readAll();
  }

  async #makeEndpoint(): Promise<void> {
    const { status, body } = await this.#ask("POST", "/endpoints", {}, this.#server.controlUrl);
    if (status !== 201) return;
    this.reported.made = { id: String(body["endpointId"]), key: String(body["apiKey"]) };
  }

  async #removeEndpoint(): Promise<void> {
    const { made } = this.reported;
    if (made === undefined) return;
    // Without a success it is unknown whether the endpoint was removed.
    this.reported.made = undefined;
    const path = `/endpoints/${made.id}`;
    const { status } = await this.#ask("DELETE", path, undefined, this.#server.controlUrl);
    if (status === 204) this.reported.removed = made;
  }

  /** Sends a request, after which nothing that was reported before must be exactly so any more. */
  async #ask(method: string, path: string, body?: object, url?: string): Promise<JsonAnswer> {
    for (const job of this.reported.jobs.values()) job.isLatest = false;
    this.reported.counts = undefined;
    const answer = await ask(this.#server, method, path, { body, url });
    if (answer.status === 500) this.reported.refusals += 1;
    return answer;
  }

  async #readAll(): Promise<void> {
    for (const id of this.reported.jobs.keys()) {
      const { status, body } = await ask(this.#server, "GET", `/status/${id}`);
      if (status === 500) this.reported.refusals += 1;
      else this.#noteJob(status === 404 ? { id, status: "gone" } : body);
    }
    const { status, body } = await ask(this.#server, "GET", "/health");
    this.reported.counts = status === 200 ? body["jobs"] : undefined;
    for (const record of this.#receiver.bodies.splice(0)) {
      if (isJsonObject(record) && isUnfinished(this.reported.jobs.get(String(record["id"])))) {
        this.#noteJob(record, false);
      }
    }
  }

  #noteJob({ id, status, output }: JsonObject, isLatest = true): void {
    this.reported.jobs.set(String(id), { status: String(status), output, isLatest });
  }
}

/** Finds what a server reported that is not so on `server`, which was started after it. */
export async function contradictionsOf(
  reported: ReportedState,
  server: Reference,
): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  for (const [id, job] of reported.jobs) {
    const { status, body } = await ask(server, "GET", `/status/${id}`);
    const now = {
      output: body["output"],
      status: status === 404 ? "gone" : String(body["status"]),
    };
    if (status >= 500 || !canFollow(job, now, reported.mayBeRemoved))
      wrong.push({ reported: job, now });
  }
  const { body: health } = await ask(server, "GET", "/health");
  if (reported.counts !== undefined && sumOf(reported.counts) !== sumOf(health["jobs"])) {
    wrong.push({ reported: reported.counts, now: health["jobs"] });
  }
  for (const [made, expected] of [
    [reported.made, 200],
    [reported.removed, 401],
  ] as const) {
    if (made === undefined) continue;
    const { status } = await ask(server, "GET", "", {
      url: `${server.baseUrl}/v2/${made.id}/health`,
      key: made.key,
    });
    if (status !== expected) wrong.push({ endpoint: made, expected, status });
  }
  return wrong;
}

/** Whether a job may be like `now` after it was `reported` so: a restart puts running jobs back into the queue. */
function canFollow(
  reported: ReportedJob,
  now: Omit<ReportedJob, "isLatest">,
  mayBeRemoved: boolean,
): boolean {
  if (isUnfinished(reported)) {
    if (!reported.isLatest) return mayBeRemoved || now.status !== "gone";
    return now.status === "IN_QUEUE" || now.status === "IN_PROGRESS";
  }
  if (reported.status === "FAILED" && !reported.isLatest) return now.status !== "gone";
  return (
    now.status === reported.status && JSON.stringify(now.output) === JSON.stringify(reported.output)
  );
}

function isUnfinished(job: ReportedJob | undefined): boolean {
  return job === undefined || job.status === "IN_QUEUE" || job.status === "IN_PROGRESS";
}

/** The counts as text, queued and running jobs in one sum, since a restart puts running jobs back into the queue. */
function sumOf(counts: unknown): string {
  const { inQueue, inProgress, ...rest } = isJsonObject(counts) ? counts : {};
  return JSON.stringify([Number(inQueue) + Number(inProgress), rest]);
}

interface Where {
  readonly body?: object | undefined;
  readonly url?: string | undefined;
  readonly key?: string;
}

function ask(
  server: Reference,
  method: string,
  path: string,
  { body, url = `${server.baseUrl}/v2/${endpoint.id}`, key = endpoint.apiKey }: Where = {},
): Promise<JsonAnswer> {
  const headers = { authorization: key };
  return callJson(method, `${url}${path}`, body, { headers, signal: AbortSignal.timeout(10_000) });
}
