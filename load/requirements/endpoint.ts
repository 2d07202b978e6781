import { isSubmission } from "../../openapi/operations.ts";
import { setTimeout as pause } from "node:timers/promises";

import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import { segmentOf } from "../../client/job-client.ts";
import type { ControlClient } from "../../client/control-client.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { Translation } from "../../client/translation.ts";
import { valueAt, type AnswerForm } from "../../openapi/departures.ts";
import { validators } from "../../openapi/generated/validators.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { Schemas } from "../../openapi/schemas.ts";
import type { LoadSupervision } from "../meter.ts";
import { untilAnswered } from "../send-again.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import { Pool, type PoolRequests, type ProbePoolOptions } from "../probe/pool.ts";
import { serialise, type ProbeRequest, type WireRequest } from "../probe/request.ts";
import { InFlight } from "./in-flight.ts";
import { requireConnections, requireAllAccepted } from "./answers.ts";
import { busy, echo, sendersBelowCap, readsJob, requestOf, sendersMax } from "./requests.ts";
import type { Input, RequestParts } from "./requests.ts";
import { OperationUsage } from "./operation-usage.ts";
import { cancelledMax, clearedBy, clearJobs, nothingCleared } from "./clear-jobs.ts";
import type { Cleared } from "./clear-jobs.ts";
import { bodyOf, submittedIn, removedBy, type Submitted } from "./job-answers.ts";
import { isAccepted, isRefused, tally } from "./tally.ts";
import type { Tally } from "./tally.ts";

export interface EndpointAccess extends LoadSupervision {
  readonly baseUrl: string;
  readonly rules: RequestRules;
  readonly endpointId: string;
  readonly apiKey: string;
  /** The target's dialect, as far as it is known. */
  readonly translation?: Translation | undefined;
  /** Absent where the target has no control protocol. */
  readonly control: ControlClient | undefined;
  /** Whether time stands still until it is advanced. */
  readonly isVirtual: boolean;
  /** Whether nobody has used it before. */
  readonly isFresh: boolean;
}

/** How long runsync waits for its job on a real clock, where workers may be busy with other jobs. */
const runsyncWaitMs = 2_000;
/** How long a job that is to end soon may take. */
const endedMsMax = 30_000;
const endedEveryMs = 250;
/** Added to each rest on a real clock: the target's clock and the probe's may differ by so much. */
const restMarginMs = 200;

/** How long an answer may take when leftover jobs are cleared after a stop. */
const clearTimeoutMs = 3_000;

/** One endpoint under load: sends given numbers of requests of an operation, and keeps the endpoint's clock. */
export class LoadEndpoint {
  readonly access: EndpointAccess;
  readonly #pool: Pool;
  /** Connections of requests that are kept in flight, hundreds of them. */
  readonly #flights: Pool;
  readonly #beganMs = performance.now();
  readonly usage: OperationUsage;
  readonly #queued: string[] = [];
  /** Jobs that keep a worker busy and that nobody has cancelled. */
  readonly #lasting = new Set<string>();
  #isJobOver = false;
  #nowMs = 0;
  #isClearing = false;
  #jobId: string | undefined;
  /** How many requests it was sent. */
  sent = 0;

  constructor(access: EndpointAccess) {
    this.access = access;
    this.usage = new OperationUsage(access.isFresh, () => this.nowMs);
    const { meter, signal } = access;
    this.#pool = this.#newPool({ connectionsMax: sendersMax, meter, signal });
    this.#flights = this.#newPool({ meter, signal });
  }

  /** How the target's answers depart from the specification. */
  get answers(): AnswerForm | undefined {
    return this.access.translation?.answers;
  }

  /** Milliseconds of the endpoint's clock since the check began to use it. */
  get nowMs(): number {
    return this.access.isVirtual ? this.#nowMs : performance.now() - this.#beganMs;
  }

  /** Waits until `ms` of the endpoint's clock; a virtual clock is advanced. */
  async waitUntil(ms: number): Promise<void> {
    await this.wait(ms - this.nowMs);
  }

  async wait(ms: number): Promise<void> {
    if (ms <= 0) return;
    const { control, endpointId, isVirtual, signal } = this.access;
    if (!isVirtual) await pause(ms, undefined, { signal });
    else await control?.advance(endpointId, Math.ceil(ms));
    this.#nowMs += Math.ceil(ms);
  }

  /**
   * Waits until the last request of each operation is two windows ago (one, where its limiter is known to look back no
   * further): then the whole limit is free. What others sent before is not known and counts as sent at the start.
   */
  async waitUntilRested(...operations: readonly OperationName[]): Promise<void> {
    const restedMs = Math.max(...operations.map((each) => this.usage.restedAtMs(each)));
    await this.waitUntil(restedMs + (this.access.isVirtual ? 0 : restMarginMs));
  }

  /** Whether an operation was left alone for so long that its limiter counts no earlier request any more. */
  isRested(operation: OperationName): boolean {
    return this.nowMs >= this.usage.restedAtMs(operation);
  }

  /** Sends requests that the operation accepts when no limit stands in the way, a few at once. */
  async send(
    operation: OperationName,
    count: number,
    atOnce = sendersBelowCap(operation),
  ): Promise<Tally> {
    return this.#burst(await this.#prepare(operation, count), atOnce);
  }

  /** @throws Unsupported where more are asked for than may still be sent. */
  #demandRoom(operation: OperationName, count: number): void {
    const jobs = isSubmission(operation) ? count : 0;
    const why = this.access.meter?.whyTooMuch?.({ requests: count, jobs });
    if (why !== undefined) throw new Unsupported(why);
  }

  /**
   * Puts requests in flight, each on a connection of its own.
   * @throws Inconclusive where that many connections cannot be opened.
   */
  async putInFlight(
    operation: OperationName,
    count: number,
    particulars?: RequestParts,
  ): Promise<InFlight> {
    const prepared = await this.#prepare(operation, count, particulars);
    return this.#inFlight(prepared, this.#flights.putInFlight(prepared.wire));
  }

  /**
   * Sends all but the last byte of each request.
   * @throws Inconclusive where that many connections cannot be opened.
   */
  async holdBodies(operation: OperationName, count: number): Promise<InFlight> {
    const prepared = await this.#prepare(operation, count);
    return this.#inFlight(prepared, this.#flights.holdBodies(prepared.wire));
  }

  /** Sends all but the last byte of each request, then the last bytes together. */
  async sendTogether(operation: OperationName, count: number): Promise<Tally> {
    const held = await this.holdBodies(operation, count);
    held.release();
    return held.end();
  }

  /**
   * Submits jobs and returns their ids. Where others may have used up the limit before, refused jobs are submitted
   * once more when the limit is free, so this is not to be called while a trace is under way.
   * @throws Inconclusive where one was not accepted.
   */
  async submit(count: number, input: Input = busy): Promise<readonly string[]> {
    const { ids, others } = await this.#submit(count, input);
    if (this.access.isFresh || !others.every(isRefused)) requireAllAccepted(others);
    if (others.length === 0) return ids;
    await this.waitUntilRested("run");
    return [...ids, ...(await this.#submitAtOnce(others.length, input))];
  }

  /** Submits jobs, as `submit` does, until `count` are there for requests of cancel. */
  async ensureJobsToCancel(count: number): Promise<void> {
    const missing = count - this.#queued.length;
    if (missing > 0) this.#queued.push(...(await this.submit(missing)));
  }

  /** Whether there is a job to cancel. */
  get hasJobToCancel(): boolean {
    return this.#queued.length > 0;
  }

  /** Submits the job, as `submit` does, that requests of status and stream read. */
  async ensureJobToRead(): Promise<void> {
    if (this.#jobId === undefined) [this.#jobId] = await this.submit(1, echo);
  }

  /** Makes the same job and waits until it has ended, so that no purge removes it and no cancel changes it. */
  async ensureEndedJob(): Promise<string> {
    await this.ensureJobToRead();
    const jobId = await this.#oneJob();
    const giveUpMs = this.nowMs + endedMsMax;
    while (!this.#isJobOver && this.nowMs < giveUpMs) {
      const status = await this.readStatus(jobId);
      this.#isJobOver = status !== "IN_QUEUE" && status !== "IN_PROGRESS";
      if (!this.#isJobOver) await this.wait(endedEveryMs);
    }
    return jobId;
  }

  async readStatus(jobId: string): Promise<string> {
    this.usage.note("status");
    const body = await this.#get(`status/${segmentOf(jobId)}`);
    const status = valueAt(body, "status");
    return typeof status === "string" ? status : "no record";
  }

  async health(): Promise<Schemas["HealthAnswer"]> {
    const body = await this.#get("health");
    if (validators.HealthAnswer(body)) return body;
    throw new Inconclusive("health did not answer as this check needs it to");
  }

  /** Whether the target answers on one more connection, soon. */
  async servesAnother(): Promise<boolean> {
    const pool = this.#newPool({ timeoutMs: anotherMsMax });
    const { answer } = await pool.send(this.#wire(this.#request("health", {})));
    pool.close();
    return answer !== undefined;
  }

  async hold(operation: OperationName, isHeld: boolean): Promise<void> {
    await this.access.control?.hold(this.access.endpointId, operation, isHeld);
  }

  async setWorkers(count: number): Promise<void> {
    await this.access.control?.setWorkers(this.access.endpointId, count);
  }

  async cancel(jobIds: readonly string[]): Promise<Tally> {
    return this.#burst(this.#cancels(jobIds), sendersBelowCap("cancel"));
  }

  /** Ends the jobs that nobody waits for any more, so that workers are free for what comes next. */
  async clear(): Promise<Cleared> {
    this.#queued.length = 0;
    const lasting = [...this.#lasting];
    this.#lasting.clear();
    if (lasting.length === 0) return nothingCleared;
    this.#isClearing = true;
    try {
      return await (this.access.signal?.aborted === true
        ? this.#clearAtOnce(lasting.slice(0, cancelledMax))
        : clearJobs(this, lasting));
    } finally {
      this.#isClearing = false;
    }
  }

  /** Closes every connection; the next request opens a new one. */
  close(): void {
    this.#pool.close();
    this.#flights.close();
  }

  /** Closes the connections that kept requests in flight, and, where no other check uses the endpoint, all others. */
  closeFlights(): void {
    this.#flights.close();
    if (this.access.isFresh) this.#pool.close();
  }

  /** Clears after a stop, when there is no time to wait for limits or to find out which jobs are left. */
  async #clearAtOnce(jobs: readonly string[]): Promise<Cleared> {
    const pool = this.#newPool({ timeoutMs: clearTimeoutMs });
    const purged = await pool.send(this.#wire(this.#request("purge-queue", {})));
    const cancelled = await pool.burst(
      jobs.map((jobId) => this.#wire(this.#request("cancel", { jobId }))),
      sendersBelowCap("cancel"),
    );
    pool.close();
    return clearedBy([purged], cancelled, this.answers);
  }

  async #burst({ wire, requests, note }: Prepared, atOnce: number): Promise<Tally> {
    return tally(note(await this.#pool.burst(wire, atOnce)), requests, this.access.apiKey);
  }

  async #inFlight({ requests, note }: Prepared, sending: Promise<PoolRequests>): Promise<InFlight> {
    const flight = await requireConnections(sending);
    void Promise.all(flight.exchanges).then(note);
    return new InFlight(flight, requests, this.access.apiKey);
  }

  async #submit(count: number, input: Input): Promise<Submitted> {
    this.#demandRoom("run", count);
    const wire = this.#wire(this.#request("run", { body: JSON.stringify({ input }) }));
    const exchanges: ProbeExchange[] = [];
    this.usage.sending("run", count);
    for (const exchange of await this.#pool.burst(Array.from({ length: count }, () => wire))) {
      exchanges.push(await this.#untilAnswered(exchange, wire));
    }
    this.sent += count;
    this.usage.note("run", exchanges);
    const submitted = submittedIn(exchanges, this.answers);
    if (input === busy) for (const id of submitted.ids) this.#lasting.add(id);
    return submitted;
  }

  async #submitAtOnce(count: number, input: Input): Promise<readonly string[]> {
    const { ids, others } = await this.#submit(count, input);
    requireAllAccepted(others);
    return ids;
  }

  async #untilAnswered(first: ProbeExchange, wire: WireRequest): Promise<ProbeExchange> {
    const sendAgain = (): Promise<ProbeExchange> => {
      this.sent += 1;
      return this.#pool.send(wire);
    };
    return untilAnswered(first, sendAgain, this.access);
  }

  async #get(path: string): Promise<unknown> {
    const wire = this.#wire(this.#request("health", { path }));
    this.sent += 1;
    return bodyOf(await this.#untilAnswered(await this.#pool.send(wire), wire), this.answers);
  }

  async #prepare(
    operation: OperationName,
    count: number,
    particulars: RequestParts = {},
  ): Promise<Prepared> {
    // The limits on load do not hold for clearing leftover jobs.
    if (!this.#isClearing) this.#demandRoom(operation, count);
    if (operation === "cancel" && particulars.jobId === undefined) {
      const missing = count - this.#queued.length;
      if (missing > 0) this.#queued.push(...(await this.#submitAtOnce(missing, busy)));
      return this.#cancels(this.#queued.splice(0, count));
    }
    this.sent += count;
    this.usage.sending(operation, count);
    const jobId = readsJob(operation) ? await this.#oneJob() : "";
    const request = this.#request(operation, { jobId, ...particulars });
    const wire = this.#wire(request);
    const note = (exchanges: readonly ProbeExchange[]): readonly ProbeExchange[] => {
      this.usage.note(operation, exchanges);
      // The purge may have removed the job that requests read: the next such request makes another.
      const mayBeGone = operation === "purge-queue" && !this.#isJobOver;
      if (mayBeGone && exchanges.some((each) => removedBy(each, this.answers) > 0))
        this.#jobId = undefined;
      return exchanges;
    };
    return { wire: Array.from({ length: count }, () => wire), requests: [request], note };
  }

  #cancels(jobIds: readonly string[]): Prepared {
    this.sent += jobIds.length;
    const requests = jobIds.map((jobId) => this.#request("cancel", { jobId }));
    const note = (exchanges: readonly ProbeExchange[]): readonly ProbeExchange[] => {
      this.usage.note("cancel", exchanges);
      for (const [at, jobId] of jobIds.entries()) {
        const exchange = exchanges[at];
        if (exchange === undefined) continue;
        // A job whose cancel was refused can serve the next cancel.
        if (isRefused(exchange)) this.#queued.push(jobId);
        if (isAccepted(exchange)) this.#lasting.delete(jobId);
      }
      return exchanges;
    };
    return { wire: requests.map((request) => this.#wire(request)), requests, note };
  }

  async #oneJob(): Promise<string> {
    if (this.#jobId === undefined) [this.#jobId] = await this.#submitAtOnce(1, echo);
    return this.#jobId ?? "";
  }

  #newPool(options: ProbePoolOptions): Pool {
    return new Pool(new URL(this.access.baseUrl), this.access.rules, options);
  }

  #wire(request: ProbeRequest): WireRequest {
    return serialise(request, this.access.rules);
  }

  #request(operation: OperationName, particulars: RequestParts): ProbeRequest {
    const isWaiting = operation === "runsync" && !this.access.isVirtual;
    const waitMs = isWaiting ? { waitMs: runsyncWaitMs } : {};
    return requestOf(this.access, operation, { ...waitMs, ...particulars });
  }
}

const anotherMsMax = 2_000;

interface Prepared {
  readonly wire: readonly WireRequest[];
  readonly requests: readonly ProbeRequest[];
  /** Records what became of the requests, and returns the same exchanges. */
  readonly note: (exchanges: readonly ProbeExchange[]) => readonly ProbeExchange[];
}
