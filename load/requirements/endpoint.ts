import { setTimeout as pause } from "node:timers/promises";

import { segmentOf } from "../../client/index.ts";
import type { ControlClient } from "../../client/index.ts";
import { operations, validators } from "../../openapi/index.ts";
import type { OperationName, Schemas } from "../../openapi/index.ts";
import type { Shot } from "../probe/connection.ts";
import { Pool } from "../probe/pool.ts";
import type { InFlight } from "../probe/pool.ts";
import { serialise } from "../probe/request.ts";
import type { ProbeRequest, WireRequest } from "../probe/request.ts";
import { Undecided } from "./check.ts";
import { capOf } from "./table.ts";
import { isAccepted, tally } from "./tally.ts";
import type { Tally } from "./tally.ts";

export interface EndpointAccess {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
  /** Absent where the target has no control protocol. */
  readonly control: ControlClient | undefined;
  /** Whether time stands still until it is advanced. */
  readonly isVirtual: boolean;
}

/** What a job of a load check does. */
export type Input = Readonly<Record<string, number | string>>;

const echo: Input = { op: "echo", value: 1 };
/** Longer than any check takes, shorter than the endpoint's own time-out. */
const busy: Input = { op: "sleep", ms: 500_000 };
const submissionsAtOnce = 64;

/** One endpoint under load: requests of an operation by the number, and its clock. */
export class LoadEndpoint {
  readonly access: EndpointAccess;
  readonly #pool: Pool;
  readonly #beganMs = performance.now();
  readonly #queued: string[] = [];
  #nowMs = 0;
  #jobId: string | undefined;
  /** How many requests it was sent. */
  sent = 0;

  constructor(access: EndpointAccess) {
    this.access = access;
    this.#pool = new Pool(new URL(access.baseUrl), { connectionsMax: submissionsAtOnce });
  }

  /** Milliseconds of the endpoint's clock since the check began to use it. */
  get nowMs(): number {
    return this.access.isVirtual ? this.#nowMs : performance.now() - this.#beganMs;
  }

  /** Lets time pass until `ms` of the endpoint's clock. */
  async waitUntil(ms: number): Promise<void> {
    await this.wait(ms - this.nowMs);
  }

  async wait(ms: number): Promise<void> {
    if (ms <= 0) return;
    const { control, endpointId, isVirtual } = this.access;
    if (!isVirtual) await pause(ms);
    else await control?.advance(endpointId, ms);
    this.#nowMs += ms;
  }

  /** Sends requests that the operation accepts when no limit stands in the way, a few at once. */
  async send(operation: OperationName, count: number, atOnce = gentle(operation)): Promise<Tally> {
    const { wire, requests } = await this.#prepare(operation, count);
    const shots = await this.#pool.burst(wire, atOnce);
    return tally(shots, requests, this.access.apiKey);
  }

  /** Puts requests in flight, each on a connection of its own. */
  async fly(operation: OperationName, count: number): Promise<Flight> {
    const { wire, requests } = await this.#prepare(operation, count);
    return new Flight(await this.#pool.fly(wire), requests, this.access.apiKey);
  }

  /** Sends all but the last byte of each request, then the last bytes together. */
  async sendTogether(operation: OperationName, count: number): Promise<Tally> {
    const { wire, requests } = await this.#prepare(operation, count);
    const held = await this.#pool.holdBodies(wire);
    const shots = await Promise.all(held.release().shots);
    return tally(shots, requests, this.access.apiKey);
  }

  /**
   * Submits jobs and answers their ids.
   * @throws Undecided where one was not accepted.
   */
  async submit(count: number, input: Input = busy): Promise<readonly string[]> {
    const request = this.#request("run", { body: JSON.stringify({ input }) });
    this.sent += count;
    const wire = serialise(request);
    const shots = await this.#pool.burst(Array.from({ length: count }, () => wire));
    return shots.map(({ answer, failure }) => {
      const body: unknown = answer === undefined ? undefined : parse(answer.body);
      if (validators.RunAnswer(body)) return body.id;
      const got = failure ?? String(answer?.status);
      throw new Undecided(`a job that the check needs was not accepted by run: ${got}`);
    });
  }

  /** Fills a stock of jobs that cancel requests are sent for. */
  async stock(count: number): Promise<void> {
    const missing = count - this.#queued.length;
    if (missing > 0) this.#queued.push(...(await this.submit(missing)));
  }

  /** Makes the job that requests of status and stream read. */
  async readyJob(): Promise<void> {
    await this.#oneJob();
  }

  async statusOf(jobId: string): Promise<string> {
    const body = await this.#get(`status/${segmentOf(jobId)}`);
    return validators.StatusAnswer(body) ? body.status : "no record";
  }

  async health(): Promise<Schemas["HealthAnswer"]> {
    const body = await this.#get("health");
    if (validators.HealthAnswer(body)) return body;
    throw new Undecided("health did not answer as the check needs it");
  }

  async hold(operation: OperationName, isHeld: boolean): Promise<void> {
    await this.access.control?.hold(this.access.endpointId, operation, isHeld);
  }

  async setWorkers(count: number): Promise<void> {
    await this.access.control?.setWorkers(this.access.endpointId, count);
  }

  /** Cancels these jobs. */
  async cancel(jobIds: readonly string[]): Promise<Tally> {
    const requests = jobIds.map((jobId) => this.#request("cancel", { jobId }));
    this.sent += requests.length;
    const shots = await this.#pool.burst(
      requests.map((request) => serialise(request)),
      gentle("cancel"),
    );
    return tally(shots, requests, this.access.apiKey);
  }

  close(): void {
    this.#pool.close();
  }

  async #get(path: string): Promise<unknown> {
    const { answer } = await this.#pool.send(serialise(this.#request("health", { path })));
    this.sent += 1;
    return answer === undefined ? undefined : parse(answer.body);
  }

  async #prepare(operation: OperationName, count: number): Promise<Prepared> {
    this.sent += count;
    if (operation === "cancel") {
      await this.stock(count);
      const jobIds = this.#queued.splice(0, count);
      const requests = jobIds.map((jobId) => this.#request("cancel", { jobId }));
      return { wire: requests.map((request) => serialise(request)), requests };
    }
    const jobId = readsJob(operation) ? await this.#oneJob() : "";
    const request = this.#request(operation, { jobId });
    const wire = serialise(request);
    return { wire: Array.from({ length: count }, () => wire), requests: [request] };
  }

  async #oneJob(): Promise<string> {
    const [jobId = ""] = this.#jobId === undefined ? await this.submit(1, echo) : [this.#jobId];
    this.#jobId = jobId;
    return jobId;
  }

  #request(
    operation: OperationName,
    { jobId = "", path, body }: { jobId?: string; path?: string; body?: string },
  ): ProbeRequest {
    const { baseUrl, endpointId, apiKey } = this.access;
    const { method } = operationNamed(operation);
    const isSubmission = operation === "run" || operation === "runsync";
    const text = body ?? (isSubmission ? JSON.stringify({ input: echo }) : bodyOf(operation));
    return {
      method: path === undefined ? method : "GET",
      url: `${baseUrl}/v2/${segmentOf(endpointId)}/${path ?? pathOf(operation, jobId)}`,
      headers: {
        authorization: apiKey,
        accept: "application/json",
        ...(text === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(text === undefined ? {} : { body: text }),
    };
  }
}

interface Prepared {
  readonly wire: readonly WireRequest[];
  readonly requests: readonly ProbeRequest[];
}

/** Requests in flight whose answers may be held back. */
export class Flight {
  readonly #inFlight: InFlight;
  readonly #requests: readonly ProbeRequest[];
  readonly #apiKey: string;
  #pending: number;
  #accepted = 0;

  constructor(inFlight: InFlight, requests: readonly ProbeRequest[], apiKey: string) {
    this.#inFlight = inFlight;
    this.#requests = requests;
    this.#apiKey = apiKey;
    this.#pending = inFlight.shots.length;
    for (const shot of inFlight.shots) void this.#count(shot);
  }

  /** How many have no answer yet. */
  get pending(): number {
    return this.#pending;
  }

  /** How many were accepted, though they were to be held. */
  get accepted(): number {
    return this.#accepted;
  }

  async #count(pending: Promise<Shot>): Promise<void> {
    const shot = await pending;
    this.#pending -= 1;
    if (isAccepted(shot)) this.#accepted += 1;
  }

  breakOff(count: number): void {
    this.#inFlight.breakOff(0, count);
  }

  async end(): Promise<Tally> {
    return tally(await Promise.all(this.#inFlight.shots), this.#requests, this.#apiKey);
  }
}

/** Few enough at once that the cap of the operation is not what refuses. */
function gentle(operation: OperationName): number {
  return Math.max(1, Math.min(submissionsAtOnce, Math.floor(capOf(operation) / 2)));
}

function readsJob(operation: OperationName): boolean {
  return operation === "status" || operation === "stream" || operation === "retry";
}

function operationNamed(name: OperationName): (typeof operations)[number] {
  const found = operations.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
}

function pathOf(operation: OperationName, jobId: string): string {
  if (operation === "openai") return "openai/v1/chat/completions";
  return jobId === "" ? operation : `${operation}/${segmentOf(jobId)}`;
}

function bodyOf(operation: OperationName): string | undefined {
  const messages = [{ role: "user", content: "queueproof" }];
  return operation === "openai" ? JSON.stringify({ model: "queueproof", messages }) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
