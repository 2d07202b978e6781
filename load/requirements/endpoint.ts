import { setTimeout as pause } from "node:timers/promises";

import { Inconclusive } from "../../harness/outcome.ts";
import { segmentOf } from "../../client/index.ts";
import type { ControlClient } from "../../client/index.ts";
import { operationNamed, validators, windowMs } from "../../openapi/index.ts";
import type { OperationName, Schemas } from "../../openapi/index.ts";
import type { LoadMeter } from "../meter.ts";
import type { Shot } from "../probe/connection.ts";
import { Pool } from "../probe/pool.ts";
import { serialise } from "../probe/request.ts";
import type { ProbeRequest, WireRequest } from "../probe/request.ts";
import { Flight, HeldFlight } from "./flight.ts";
import { busy, echo, readsJob, requestOf } from "./requests.ts";
import type { Input, Particulars } from "./requests.ts";
import { isAccepted, isRefused, tally } from "./tally.ts";
import type { Tally } from "./tally.ts";

export interface EndpointAccess {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
  /** Absent where the target has no control protocol. */
  readonly control: ControlClient | undefined;
  /** Whether time stands still until it is advanced. */
  readonly isVirtual: boolean;
  /** Whether nobody has used it before. */
  readonly isFresh: boolean;
  readonly meter?: LoadMeter | undefined;
  /** Nothing is sent or waited for any more once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

const submissionsAtOnce = 64;
/** On a real clock no request of runsync waits longer for a worker that is busy with other jobs. */
const runsyncWaitMs = 2_000;
/** Beyond two windows: what a target's clock and the probe's may differ by. */
const restMarginMs = 200;

/** How long an answer may take when what was left is cleared after a stop. */
const clearTimeoutMs = 3_000;

/** One endpoint under load: requests of an operation by the number, and its clock. */
export class LoadEndpoint {
  readonly access: EndpointAccess;
  readonly #pool: Pool;
  readonly #beganMs = performance.now();
  readonly #usedMs = new Map<OperationName, number>();
  readonly #queued: string[] = [];
  /** Jobs that keep a worker busy, as far as nobody has cancelled them. */
  readonly #lasting = new Set<string>();
  #nowMs = 0;
  #jobId: string | undefined;
  /** How many requests it was sent. */
  sent = 0;

  constructor(access: EndpointAccess) {
    this.access = access;
    const { meter, signal } = access;
    const options = { connectionsMax: submissionsAtOnce, meter, signal };
    this.#pool = new Pool(new URL(access.baseUrl), options);
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
    const { control, endpointId, isVirtual, signal } = this.access;
    if (!isVirtual) await pause(ms, undefined, signal === undefined ? {} : { signal });
    else await control?.advance(endpointId, Math.ceil(ms));
    this.#nowMs += Math.ceil(ms);
  }

  /**
   * Waits until the last request of each operation is two windows ago, and the whole limit free
   * whatever the kind of window. What others sent before is not known: it counts as sent at the start.
   */
  async rest(...operations: readonly OperationName[]): Promise<void> {
    const { isFresh, isVirtual } = this.access;
    const unused = isFresh ? Number.NEGATIVE_INFINITY : 0;
    const usedMs = Math.max(...operations.map((each) => this.#usedMs.get(each) ?? unused));
    await this.waitUntil(usedMs + 2 * windowMs + (isVirtual ? 0 : restMarginMs));
  }

  /** Whether an operation was left alone for so long that no window of any kind knows of an earlier request. */
  isRested(operation: OperationName): boolean {
    const unused = this.access.isFresh ? Number.NEGATIVE_INFINITY : 0;
    return this.nowMs >= (this.#usedMs.get(operation) ?? unused) + 2 * windowMs;
  }

  /** Sends requests that the operation accepts when no limit stands in the way, a few at once. */
  async send(operation: OperationName, count: number, atOnce = gentle(operation)): Promise<Tally> {
    const { wire, requests, note } = await this.#prepare(operation, count);
    const shots = note(await this.#pool.burst(wire, atOnce));
    return tally(shots, requests, this.access.apiKey);
  }

  /**
   * Puts requests in flight, each on a connection of its own.
   * @throws Undecided where that many connections cannot be opened.
   */
  async fly(operation: OperationName, count: number, particulars?: Particulars): Promise<Flight> {
    const { wire, requests, note } = await this.#prepare(operation, count, particulars);
    const flight = await connected(this.#pool.fly(wire));
    void Promise.all(flight.shots).then(note);
    return new Flight(flight, requests, this.access.apiKey);
  }

  /**
   * Sends all but the last byte of each request.
   * @throws Undecided where that many connections cannot be opened.
   */
  async holdBodies(operation: OperationName, count: number): Promise<HeldFlight> {
    const { wire, requests, note } = await this.#prepare(operation, count);
    const held = await connected(this.#pool.holdBodies(wire));
    void Promise.all(held.shots).then(note);
    return new HeldFlight(held, requests, this.access.apiKey);
  }

  /** Sends all but the last byte of each request, then the last bytes together. */
  async sendTogether(operation: OperationName, count: number): Promise<Tally> {
    const held = await this.holdBodies(operation, count);
    held.release();
    return held.end();
  }

  /**
   * Submits jobs and answers their ids. Where others may have used up the limit before, what was refused
   * for that alone is submitted once more when the limit is free: not while a trace is under way.
   * @throws Undecided where one was not accepted.
   */
  async submit(count: number, input: Input = busy): Promise<readonly string[]> {
    const { ids, others } = await this.#submit(count, input);
    if (this.access.isFresh || !others.every(isRefused)) demandNone(others);
    if (others.length === 0) return ids;
    await this.rest("run");
    return [...ids, ...(await this.#submitAtOnce(others.length, input))];
  }

  /** Fills a stock of jobs that cancel requests are sent for, as `submit` does. */
  async stock(count: number): Promise<void> {
    const missing = count - this.#queued.length;
    if (missing > 0) this.#queued.push(...(await this.submit(missing)));
  }

  /** Makes the job that requests of status and stream read, as `submit` does. */
  async readyJob(): Promise<void> {
    if (this.#jobId === undefined) [this.#jobId] = await this.submit(1, echo);
  }

  async statusOf(jobId: string): Promise<string> {
    this.#used("status");
    const body = await this.#get(`status/${segmentOf(jobId)}`);
    return validators.StatusAnswer(body) ? body.status : "no record";
  }

  async health(): Promise<Schemas["HealthAnswer"]> {
    const body = await this.#get("health");
    if (validators.HealthAnswer(body)) return body;
    throw new Inconclusive("health did not answer as the check needs it");
  }

  /** Whether the target answers on one more connection, soon. */
  async servesAnother(): Promise<boolean> {
    const pool = new Pool(new URL(this.access.baseUrl), { timeoutMs: anotherMsMax });
    const { answer } = await pool.send(serialise(this.#request("health", {})));
    pool.close();
    return answer !== undefined;
  }

  async hold(operation: OperationName, isHeld: boolean): Promise<void> {
    await this.access.control?.hold(this.access.endpointId, operation, isHeld);
  }

  async setWorkers(count: number): Promise<void> {
    await this.access.control?.setWorkers(this.access.endpointId, count);
  }

  /** Cancels these jobs. */
  async cancel(jobIds: readonly string[]): Promise<Tally> {
    const { wire, requests, note } = this.#cancels(jobIds);
    const shots = note(await this.#pool.burst(wire, gentle("cancel")));
    return tally(shots, requests, this.access.apiKey);
  }

  /** Ends the jobs that nobody waits for any more, so that workers are free for what comes next. */
  async clear(): Promise<void> {
    this.#queued.length = 0;
    if (this.#lasting.size === 0) return;
    if (this.access.signal?.aborted === true) return this.#clearAtOnce();
    await this.rest("purge-queue", "cancel", "status");
    await this.send("purge-queue", 1);
    const left: string[] = [];
    for (const jobId of this.#lasting) {
      const status = await this.statusOf(jobId);
      if (status === "IN_QUEUE" || status === "IN_PROGRESS") left.push(jobId);
    }
    await this.cancel(left.slice(0, cancelledMax));
    this.#lasting.clear();
  }

  /** Closes every connection; the next request opens a new one. */
  close(): void {
    this.#pool.close();
  }

  /** After a stop there is no time to wait for limits or to look which jobs are left. */
  async #clearAtOnce(): Promise<void> {
    const pool = new Pool(new URL(this.access.baseUrl), { timeoutMs: clearTimeoutMs });
    const jobs = [...this.#lasting].slice(0, cancelledMax);
    this.#lasting.clear();
    await pool.send(serialise(this.#request("purge-queue", {})));
    await pool.burst(
      jobs.map((jobId) => serialise(this.#request("cancel", { jobId }))),
      gentle("cancel"),
    );
    pool.close();
  }

  async #submit(count: number, input: Input): Promise<Submitted> {
    const wire = serialise(this.#request("run", { body: JSON.stringify({ input }) }));
    this.sent += count;
    const shots = await this.#pool.burst(Array.from({ length: count }, () => wire));
    this.#used("run");
    const ids = shots.map((shot) => idOf(shot)).filter((id) => id !== undefined);
    if (input === busy) for (const id of ids) this.#lasting.add(id);
    return { ids, others: shots.filter((shot) => idOf(shot) === undefined) };
  }

  async #submitAtOnce(count: number, input: Input): Promise<readonly string[]> {
    const { ids, others } = await this.#submit(count, input);
    demandNone(others);
    return ids;
  }

  async #get(path: string): Promise<unknown> {
    const { answer } = await this.#pool.send(serialise(this.#request("health", { path })));
    this.sent += 1;
    return answer === undefined ? undefined : parse(answer.body);
  }

  async #prepare(
    operation: OperationName,
    count: number,
    particulars: Particulars = {},
  ): Promise<Prepared> {
    if (operation === "cancel") {
      const missing = count - this.#queued.length;
      if (missing > 0) this.#queued.push(...(await this.#submitAtOnce(missing, busy)));
      return this.#cancels(this.#queued.splice(0, count));
    }
    this.sent += count;
    const jobId = readsJob(operation) ? await this.#oneJob() : "";
    const request = this.#request(operation, { jobId, ...particulars });
    const wire = serialise(request);
    const note = (shots: readonly Shot[]): readonly Shot[] => {
      this.#used(operation);
      // The job that requests read may have been among those: the next of them makes another.
      if (operation === "purge-queue" && shots.some(hasEmptied)) this.#jobId = undefined;
      return shots;
    };
    return { wire: Array.from({ length: count }, () => wire), requests: [request], note };
  }

  #cancels(jobIds: readonly string[]): Prepared {
    this.sent += jobIds.length;
    const requests = jobIds.map((jobId) => this.#request("cancel", { jobId }));
    const note = (shots: readonly Shot[]): readonly Shot[] => {
      this.#used("cancel");
      for (const [at, jobId] of jobIds.entries()) {
        const shot = shots[at];
        if (shot === undefined) continue;
        // A job whose cancel was refused is there for the next one.
        if (isRefused(shot)) this.#queued.push(jobId);
        if (isAccepted(shot)) this.#lasting.delete(jobId);
      }
      return shots;
    };
    return { wire: requests.map((request) => serialise(request)), requests, note };
  }

  async #oneJob(): Promise<string> {
    if (this.#jobId === undefined) [this.#jobId] = await this.#submitAtOnce(1, echo);
    return this.#jobId ?? "";
  }

  #used(operation: OperationName): void {
    this.#usedMs.set(operation, this.nowMs);
  }

  #request(operation: OperationName, particulars: Particulars): ProbeRequest {
    const isWaiting = operation === "runsync" && !this.access.isVirtual;
    const waitMs = isWaiting ? { waitMs: runsyncWaitMs } : {};
    return requestOf(this.access, operation, { ...waitMs, ...particulars });
  }
}

const anotherMsMax = 2_000;

async function connected<T>(attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Inconclusive(`the connections could not be opened: ${why}`);
  }
}

/** Few workers can be busy with jobs of ours, and the rest was purged. */
const cancelledMax = 100;

interface Prepared {
  readonly wire: readonly WireRequest[];
  readonly requests: readonly ProbeRequest[];
  /** Takes note of what became of them, and hands it on. */
  readonly note: (shots: readonly Shot[]) => readonly Shot[];
}

interface Submitted {
  readonly ids: readonly string[];
  /** What became of those that were not accepted. */
  readonly others: readonly Shot[];
}

/** @throws Undecided where there is one */
function demandNone([first]: readonly Shot[]): void {
  if (first === undefined) return;
  const got = first.failure ?? String(first.answer?.status);
  throw new Inconclusive(`a job that the check needs was not accepted by run: ${got}`);
}

/** Few enough at once that the cap of the operation is not what refuses. */
function gentle(operation: OperationName): number {
  const { inFlight = 400 } = operationNamed[operation].rateLimit;
  return Math.max(1, Math.min(submissionsAtOnce, Math.floor(inFlight / 2)));
}

function idOf({ answer }: Shot): string | undefined {
  const body = answer === undefined ? undefined : parse(answer.body);
  return validators.RunAnswer(body) ? body.id : undefined;
}

/** Whether a purge has removed jobs. */
function hasEmptied({ answer }: Shot): boolean {
  const body = answer === undefined ? undefined : parse(answer.body);
  return validators.PurgeAnswer(body) && body.removed > 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
