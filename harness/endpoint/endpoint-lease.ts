import { monotonicNowMs } from "../../client/exchange.ts";
import type { Answer, Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { isOfEndedJob } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { longJobMs } from "../inputs/jobs.ts";
import type { EventLoopLag } from "../event-loop-lag.ts";
import type { JobProgress } from "../job-progress.ts";
import { isSuccess } from "../read.ts";
import { isFinal, recordShownBy } from "../record.ts";
import { endedJobsIn } from "../webhooks/hook.ts";
import type { Hook } from "../webhooks/hook.ts";
import type { EndpointPool, HeldEndpoint, Hold, HoldRequest } from "./endpoint-pool.ts";
import type { Occupancy } from "./occupancy.ts";
import { StallGroup } from "./stall-group.ts";

/** How a check holds its endpoint. */
export interface LeaseOptions extends Pick<
  HoldRequest,
  "endpoint" | "isToStall" | "stallMsMax" | "readyInMs" | "signal"
> {
  /** The kind of its first hold. */
  readonly hold: "short" | "long" | "exclusive";
  /** The kind of its hold while it stalls the workers, unless it holds the endpoint alone. */
  readonly stallsBy: "stalled" | "purging";
  /** Whether it holds the endpoint for as long as it runs: on a virtual clock it never waits. */
  readonly holdsWhileWaiting: boolean;
  /** Whether others work on the same endpoint: it may be released only when none of its jobs is unfinished. */
  readonly shared: boolean;
  /** What the jobs on an endpoint keep busy; absent where no other check works there. */
  readonly occupancyOf?: ((endpoint: number) => Occupancy) | undefined;
  /** Whether jobs of the run begin and end; absent where that is not watched. */
  readonly progress?: JobProgress | undefined;
  /** For how long this process did not run; absent: that is not asked. */
  readonly lag?: Pick<EventLoopLag, "stoppedMs"> | undefined;
  /** How long a job of the check may work, in milliseconds; absent: as long as a job works that has to be cancelled. */
  readonly jobMsMax?: number | undefined;
  /** Called when a wait of some length begins, with its length in milliseconds. */
  readonly onWaiting?: ((ms: number) => void) | undefined;
}

/** For how long a check has held its endpoint, in milliseconds. */
export interface HeldMs {
  /** Together with others. */
  readonly sharing: number;
  /** During a stall and until its jobs had ended after it; or exclusively. */
  readonly alone: number;
}

/** How long a check that is to be alone waits for jobs that earlier checks could not end. */
const abandonedWaitMsMax = 60_000;

/** A shorter wait is not reported: it is over before somebody has read of it. */
const reportedWaitMsMin = 1000;

/** The operations for which a check has to hold the endpoint. */
const changing: ReadonlySet<OperationName> = new Set(["run", "runsync", "retry", "purge-queue"]);

/** Whether a cancel without a record tells that its job has ended: by itself, or because it was accepted. */
function hasEnded(answer: Answer | undefined): boolean {
  if (answer === undefined) return false;
  return isOfEndedJob(answer.status) || (isSuccess(answer) && !bodyOf(answer).ok);
}

/**
 * One check's hold on its endpoint. It is acquired with the first operation that changes something, and released while
 * the check only waits; reading needs no hold, so that a read is never late.
 */
export class EndpointLease {
  readonly #pool: EndpointPool;
  readonly #options: LeaseOptions;
  readonly #unfinished = new Set<string>();
  #submitting = 0;
  /** How many of its jobs its endpoint's occupancy counts, and how crowded that was when the first of them came. */
  #jobsCounted = 0;
  #crowdedBeforeMs = 0;
  #crowdedMs = 0;
  /** Whether the workers are kept busy for the sake of its jobs, which all wait. */
  isStalled = false;
  /** Whether jobs that an earlier check had to leave behind may have kept workers busy. */
  isBesideAbandoned = false;
  #hold: Hold;
  /** By how much the harness itself was later than it meant to be, in milliseconds. */
  delayMs = 0;
  /** For how long all its requests together were held back because the target takes no more a second. */
  pacedMs = 0;
  /** How many of its requests were refused for their haste, and sent again later than the check meant. */
  refusals = 0;
  #held: Promise<HeldEndpoint> | undefined;
  /** The endpoint that it was given first and keeps, because its jobs are there. */
  #endpoint: number | undefined;
  #hasBegun = false;
  /** Whether it has shared a stall with other checks, whose jobs may have come between its own. */
  stalledWithOthers = false;
  /** When the current hold began, and under which kind its time counts. */
  #given: { readonly atMs: number; readonly as: keyof HeldMs } | undefined;
  /** For how long it has held the endpoint before it gave it back. */
  heldMs: HeldMs = { sharing: 0, alone: 0 };
  /** Grows with whatever the check does that may change something on an endpoint. */
  activity = 0;
  /** The webhook addresses that were made for the check. */
  hooks: readonly Hook[] = [];

  constructor(pool: EndpointPool, options: LeaseOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#hold = options.hold;
    this.#endpoint = options.endpoint;
  }

  /** The number of its endpoint; 0 before it has one. */
  get endpoint(): number {
    return this.#endpoint ?? 0;
  }

  /** Whether it has the endpoint to itself. */
  get isExclusive(): boolean {
    return this.#options.hold === "exclusive";
  }

  /** Whether others share the endpoint with it at any moment. */
  get #isSharing(): boolean {
    return this.#hold === "short" || this.#hold === "long";
  }

  /** Whether a job of its own has not been seen to end. */
  get isBusy(): boolean {
    return this.#unfinished.size + this.#submitting > 0;
  }

  #ownStall(): StallGroup {
    const stall = new StallGroup();
    stall.join(this);
    return stall;
  }

  /** For how many milliseconds this process did not run since the run began: nothing that came was seen. */
  get stoppedMs(): number {
    return this.#options.lag?.stoppedMs ?? 0;
  }

  /** Whether no job of its own has begun that is unfinished, by all that was seen: a worker may have to start for it. */
  get awaitsStart(): boolean {
    const { progress } = this.#options;
    if (!this.isBusy || this.isStalled || progress === undefined) return false;
    return this.unfinished.every((id) => !progress.hasBegun(id));
  }

  /** Whether it would wait for a job of its own while none begins or ends any more. */
  get isStuck(): boolean {
    return this.isBusy && this.#options.progress?.isStuck === true;
  }

  /** To be called where something of its jobs was awaited in vain, since `sinceMs`. */
  waitedInVain(sinceMs: number): void {
    if (this.isBusy) this.#options.progress?.waitedInVain(sinceMs);
  }

  /** The jobs it submitted that were not seen to have ended. */
  get unfinished(): readonly string[] {
    return [...this.#unfinished];
  }

  /** For how long its jobs may have waited for those of other checks with which it shares the endpoint. */
  get crowdedMs(): number {
    if (this.#jobsCounted === 0) return this.#crowdedMs;
    return this.#crowdedMs + (this.#occupancy?.crowdedMs ?? 0) - this.#crowdedBeforeMs;
  }

  get #occupancy(): Occupancy | undefined {
    return this.#endpoint === undefined ? undefined : this.#options.occupancyOf?.(this.#endpoint);
  }

  /** Tells the endpoint's occupancy of the jobs that share its workers with those of others. */
  #countJobs(): void {
    if ((this.#occupancy?.abandoned ?? 0) > 0) this.isBesideAbandoned = true;
    const jobs = this.#isSharing ? this.#unfinished.size + this.#submitting : 0;
    if (jobs === this.#jobsCounted) return;
    this.#crowdedMs = this.crowdedMs;
    this.#occupancy?.add(jobs - this.#jobsCounted);
    this.#jobsCounted = jobs;
    this.#crowdedBeforeMs = this.#occupancy?.crowdedMs ?? 0;
  }

  /** To be called with how long a request was held back, or by how much a wait lasted too long. */
  addDelay(ms: number): void {
    this.delayMs += ms;
  }

  /** To be called with each such request. */
  noteRefusal(): void {
    this.refusals += 1;
  }

  /** To be called with how long a request was held back for that. */
  addPacedDelay(ms: number): void {
    this.pacedMs += ms;
    this.addDelay(ms);
  }

  /** To be called before a sleep. */
  reportWait(ms: number): void {
    if (ms >= reportedWaitMsMin) this.#options.onWaiting?.(ms);
  }

  /** Acquires the endpoint, unless it is held. The wait for it does not count as a delay. */
  async acquire(): Promise<void> {
    const { signal, readyInMs } = this.#options;
    const mayPurge = this.#hold === "exclusive" || this.#hold === "purging";
    this.#held ??= this.#pool.acquire({
      ...this.#options,
      hold: this.#hold,
      holder: this,
      hasBegun: this.#hasBegun,
      endpoint: this.#endpoint,
      readyInMs: mayPurge ? readyInMs : undefined,
    });
    this.#endpoint = (await this.#held).endpoint;
    // What such a job still changes, health's counts above all, would be taken for what this check changes.
    if (this.isExclusive) await this.#occupancy?.untilNoneIsAbandoned(abandonedWaitMsMax, signal);
    await this.#options.progress?.untilWorkersAreLeft(this.isExclusive, signal);
    this.#hasBegun = true;
    this.#given ??= { atMs: monotonicNowMs(), as: this.#isSharing ? "sharing" : "alone" };
  }

  /** Returns the stall in which its jobs wait: one shared with other checks, unless it holds the endpoint alone. */
  async joinStall(): Promise<StallGroup> {
    if (!this.isExclusive) {
      // An unfinished job of its own would set a worker free in the middle of the others' stall.
      const hold = this.isBusy ? "exclusive" : this.#options.stallsBy;
      this.release();
      this.#hold = hold;
      this.#countJobs();
      await this.#acquireLate();
    }
    const { stall = this.#ownStall() } = await this.#acquired();
    if (stall.size > 1) this.stalledWithOthers = true;
    return stall;
  }

  /** To be called when the stall is over: goes on with a short hold, as the others of the stall do. */
  async downgradeToShort(): Promise<void> {
    if (this.isExclusive) return;
    const { share } = await this.#acquired();
    this.#hold = "short";
    share();
    this.#countJobs();
  }

  /** Sends a purge: one serves all checks whose jobs wait in the same stall to be purged. */
  async purge(send: () => Promise<Exchange>): Promise<Exchange> {
    if (this.#hold !== "purging") return send();
    const { stall } = await this.#acquired();
    return stall === undefined ? send() : stall.purge(this, send);
  }

  async #acquired(): Promise<HeldEndpoint> {
    if (this.#held === undefined) throw new Error("the endpoint is not held");
    return this.#held;
  }

  /** Acquires the endpoint and counts the wait as a delay: jobs may end meanwhile, and results be deleted. */
  async #acquireLate(): Promise<void> {
    const askedAtMs = monotonicNowMs();
    await this.acquire();
    this.addDelay(monotonicNowMs() - askedAtMs);
  }

  /** Whether jobs of the check may call a webhook. */
  get hasWebhooks(): boolean {
    return this.hooks.length > 0;
  }

  /** To be called when the check asks something of an endpoint, and when it was answered. */
  noteActivity(): void {
    this.activity += 1;
  }

  /** To be called before a request is sent. */
  async beforeRequest(operation: OperationName): Promise<void> {
    this.noteActivity();
    if (!changing.has(operation)) return;
    await this.#acquireLate();
    this.#submitting += 1;
    this.#countJobs();
  }

  /** To be called with the answer of every request. */
  afterAnswer(exchange: Exchange): void {
    this.noteActivity();
    if (changing.has(exchange.operation)) this.#submitting -= 1;
    this.#noteJob(exchange);
    this.#countJobs();
  }

  /** Notes a job that an exchange made or showed to have ended. */
  #noteJob(exchange: Exchange): void {
    const { answer, operation, request } = exchange;
    if (answer?.status === 404) this.#unfinished.delete(request.jobId ?? "");
    const record = recordShownBy(exchange);
    if (record === undefined) {
      if (operation === "cancel" && hasEnded(answer)) this.#unfinished.delete(request.jobId ?? "");
      return;
    }
    if (isFinal(record)) {
      this.#unfinished.delete(record.id);
      if (operation === "cancel") this.#abandonWorker(record.id);
    } else if (changing.has(operation)) this.#unfinished.add(record.id);
  }

  /** The id of the cause that a job which keeps a worker busy can only be waited for; undefined where it can be cancelled. */
  get workersKeptBy(): string | undefined {
    return this.#options.progress?.workersKeptBy;
  }

  /** A job that was cancelled may keep its worker until its work is done. */
  #abandonWorker(id: string): void {
    const forMs = this.#options.progress?.keepsWorkerMs(id) ?? 0;
    if (forMs > 0) this.#occupancy?.abandon(1, forMs);
  }

  /** To be called before a wait: releases a hold that is shared, unless jobs of its own are unfinished. */
  releaseWhileWaiting(): void {
    const { holdsWhileWaiting, shared } = this.#options;
    if (!this.#isSharing || holdsWhileWaiting) return;
    for (const id of endedJobsIn(this.hooks)) this.#unfinished.delete(id);
    this.#countJobs();
    if (shared && this.isBusy) return;
    this.release();
  }

  /** Releases the endpoint, if it is held. */
  release(): void {
    void this.#giveBack(this.#held);
    this.#held = undefined;
    if (this.#given !== undefined) {
      const { atMs, as } = this.#given;
      this.heldMs = { ...this.heldMs, [as]: this.heldMs[as] + monotonicNowMs() - atMs };
      this.#given = undefined;
    }
    // A check that comes back from a wait needs only a moment, and may have no time to wait for a long hold.
    if (this.#hold === "long") this.#hold = "short";
  }

  /** Releases the endpoint for good: what is left of its jobs is nobody's any more, but may keep workers busy. */
  end(): void {
    this.#occupancy?.abandon(this.#unfinished.size, this.#options.jobMsMax ?? longJobMs);
    this.#unfinished.clear();
    this.#submitting = 0;
    this.#countJobs();
    this.release();
  }

  async #giveBack(acquired: Promise<HeldEndpoint> | undefined): Promise<void> {
    // One that was never acquired, because the run was stopped, is not given back.
    const held = await acquired?.catch(() => undefined);
    held?.stall?.leave(this);
    held?.release();
  }
}
