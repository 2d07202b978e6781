import { randomUUID } from "node:crypto";

import type { OperationName, SubmitOperation } from "../openapi/operations.ts";
import type { Behaviour } from "./behaviour.ts";
import type { LimitRefusal, RequestForm } from "./behaviour/limits.ts";
import type { Counter, JobCounts } from "./behaviour/operations.ts";
import { VirtualClock } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { PlannedEndpoint, EndpointPlan, FormerEndpoint, FormerJob } from "./endpoint-plan.ts";
import { Execution, type WorkOutcome } from "./execution.ts";
import { Holds } from "./holds.ts";
import { createJob, forgetWork, tell } from "./job.ts";
import type { Job, JsonObject, ReceivedSubmission } from "./job.ts";
import { Limits, type InFlightSlot } from "./limits.ts";
import { conformanceHandler } from "./own-handler.ts";
import { recordOf } from "./record.ts";
import { enter, isFinal } from "./transitions.ts";
import type { TransitionEvent } from "./transitions.ts";
import { Webhooks } from "./webhooks.ts";
import type { Fleet } from "./worker-protocol/fleet.ts";
import { workerCounts, Workers } from "./workers.ts";

/** One endpoint: its jobs, queue, workers, clock, limits and webhooks. Everything is freed with it. */
export class Endpoint {
  readonly id: string;
  readonly apiKey: string;
  readonly foreignKey: string;
  readonly behaviour: Behaviour;
  readonly clock: Clock;
  /** The processes that work for it; undefined where the built-in handler does. */
  readonly fleet: Fleet | undefined;
  readonly holds = new Holds();
  readonly #jobs = new Map<string, Job>();
  readonly #counters: Record<Counter, number>;
  readonly #workers: Workers;
  readonly #execution: Execution;
  readonly #limits: Limits;
  readonly webhooks: Webhooks;
  readonly #options: PlannedEndpoint<Endpoint>;
  #sequence = 0;

  constructor(options: PlannedEndpoint<Endpoint>) {
    const { id, behaviour, clock } = options;
    this.#options = options;
    this.id = id;
    this.apiKey = options.apiKey;
    this.foreignKey = options.foreignKey;
    this.behaviour = behaviour;
    this.clock = clock;
    this.fleet = options.fleet;
    this.#counters = { ...behaviour.origin.counts };
    this.#workers = new Workers(options.workers);
    this.#limits = new Limits({
      behaviour,
      endpointId: id,
      nowMs: () => clock.nowMs(),
      allowancePerWorker: options.allowancePerWorker,
      own: options.limits,
    });
    this.#execution = new Execution({
      ...options,
      endpointId: id,
      workers: this.#workers,
      handler: options.handler ?? conformanceHandler,
      touch: (job) => this.touch(job),
      defaultTimeoutMs: options.executionTimeoutMs,
      apply: (job, event, outcome) => this.apply(job, event, outcome),
    });
    this.webhooks = new Webhooks({
      behaviour,
      clock,
      targets: options.webhookTargets,
      recordOf: (job) => this.recordOf(job, "status"),
      onOver: (job, wasAcknowledged) => this.#endWebhook(job, wasAcknowledged),
      onChange: (delivery) => options.journal?.deliveryChanged(this, delivery),
      written: (job) => options.journal?.written(job),
    });
  }

  /** Lets a request in, or tells why it is refused: 429. */
  enter(operation: OperationName, form: RequestForm): InFlightSlot | LimitRefusal {
    return this.#limits.enter({ operation, form, runningWorkers: this.#workers.busy });
  }

  /** Queues a job; one that needs no time on a free worker has ended when this returns. */
  submit(submittedBy: SubmitOperation, submission: ReceivedSubmission, waitMs: number): Job {
    const { jobId } = this.behaviour.submission;
    const id = jobId(submittedBy, randomUUID(), (this.#sequence += 1), this.id);
    const job = createJob({ id, submittedBy, submission, waitMs, nowMs: this.clock.nowMs() });
    this.#jobs.set(id, job);
    this.touch(job);
    this.#startTtl(job);
    this.#execution.enqueue(job);
    return job;
  }

  /** Something of the job has changed that has to outlive the process. */
  touch(job: Job): void {
    this.#options.journal?.jobChanged(this, job);
  }

  /** What it was made with, as it stands now. */
  get plan(): EndpointPlan {
    const { allowancePerWorker, executionTimeoutMs, limits } = this.#options;
    return { workers: this.#workers.plan, allowancePerWorker, executionTimeoutMs, limits };
  }

  /** What `restore` needs besides the jobs and their webhook calls. */
  get origin(): Pick<FormerEndpoint, "counts" | "sequence"> {
    return { counts: this.#counters, sequence: this.#sequence };
  }

  /**
   * Takes up what was there before a restart. Jobs that were being processed go back to the queue, in
   * front of those that waited, and the interrupted dispatch does not count. What became due in the
   * meantime happens at once.
   */
  restore({ counts, sequence, jobs, deliveries }: FormerEndpoint): void {
    Object.assign(this.#counters, counts);
    this.#sequence = sequence;
    for (const former of jobs) this.#restoreTimers(former);
    for (const { job } of jobs) {
      if (job.status !== "IN_PROGRESS") continue;
      if (job.workerId !== undefined) this.fleet?.takeBack(job.workerId, job.id);
      job.dispatches = Math.max(0, job.dispatches - 1);
      this.apply(job, "worker-died");
    }
    const waiting = jobs.filter(({ job }) => job.status === "IN_QUEUE" && !job.isDeleted);
    for (const { job } of waiting.toSorted((a, b) => a.job.queuedAtMs - b.job.queuedAtMs)) {
      if (!this.#execution.queue.has(job.id)) this.#execution.enqueue(job);
    }
    for (const delivery of deliveries) this.webhooks.resume(delivery);
  }

  /** The job as this operation finds it. */
  find(given: string, operation: OperationName): Job | undefined {
    const { operations, retention } = this.behaviour;
    const jobId = operations.jobIdOf(given, this.#jobs.keys());
    const job =
      this.#jobs.get(jobId) ??
      (operations.hidesForeignJobs(operation) ? undefined : this.#findElsewhere(jobId));
    if (job === undefined || !retention.shows(job, operation, this.clock.nowMs())) return undefined;
    if (isFinal(job.status) && retention.isProlongedBy(operation, job)) this.#startRetention(job);
    return job;
  }

  /** The jobs that are still kept, at most `max` of them. */
  listJobs(max: number): readonly Job[] {
    return [...this.#jobs.values()].slice(0, max);
  }

  /** The jobs that were accepted last, the newest first. */
  latestJobs(max: number): readonly Job[] {
    return [...this.#jobs.values()].slice(-max).toReversed();
  }

  recordOf(job: Job, operation: OperationName): JsonObject {
    return recordOf(job, { operation, job, nowMs: this.clock.nowMs() }, this.behaviour);
  }

  /** Leads a job where an event takes it; false where the event is refused in its state. */
  apply(job: Job, event: TransitionEvent, outcome: WorkOutcome = {}): boolean {
    const { lifecycle, webhook } = this.behaviour;
    const destination = lifecycle.next(job, event);
    if (destination === undefined) return false;

    const before = job.status;
    enter(job, destination);
    for (const delayMs of lifecycle.unseenRuns(job, event)) this.#execution.runUnseen(job, delayMs);
    if (before === "IN_QUEUE" && lifecycle.leavesQueue(job, event)) this.#execution.leaveQueue(job);
    if (before === "IN_PROGRESS") this.#execution.interrupt(job, event);

    if (destination === "DELETED") this.#delete(job);
    else if (destination === "IN_QUEUE") this.#requeue(job, event);
    else if (destination !== "IN_PROGRESS") this.#end(job, outcome);
    else if (webhook.isCalledAtStart(job)) this.webhooks.call(job);
    this.touch(job);
    this.#execution.dispatch();
    return true;
  }

  /** Removes the waiting jobs and returns them. */
  purge(): readonly Job[] {
    const { operations } = this.behaviour;
    const endpoints = operations.purgesOwnJobsAlone ? [this] : [...this.#options.siblings()];
    const removed = endpoints.flatMap((endpoint) =>
      [...endpoint.#jobs.values()].filter(
        (job) => operations.purges(job) && endpoint.apply(job, "purge"),
      ),
    );
    operations.afterPurge(this.#execution.queue);
    return removed;
  }

  counts(): JobCounts {
    return {
      ...this.#counters,
      inProgress: this.#execution.inProgressCount,
      inQueue: this.#execution.waitingCount,
      ...workerCounts(this.#workers, this.fleet),
    };
  }

  /** Moves a virtual clock on and answers the new time; undefined where the clock is real. */
  async advance(ms: number): Promise<number | undefined> {
    if (!(this.clock instanceof VirtualClock)) return undefined;
    const nowMs = await this.clock.advance(ms);
    this.#options.journal?.endpointChanged(this);
    return nowMs;
  }

  setWorkers(count: number): void {
    this.#workers.setCount(count);
    this.#options.journal?.endpointChanged(this);
    this.#execution.dispatch();
  }

  /** Counts a worker as free whose job is not known to have ended. */
  freeWorker(): void {
    this.#workers.release();
    this.#execution.dispatch();
  }

  /** Gives an unfinished job a ttl that ends at this moment. */
  setTtlEnd(job: Job, atMs: number): void {
    job.ttlTimer?.cancel();
    job.ttlTimer = this.clock.schedule(atMs, () => {
      if (this.behaviour.lifecycle.ttlCounts(job)) this.apply(job, "ttl-ran-out");
    });
    this.touch(job);
  }

  /** Takes a submission back that could not be kept. */
  giveUp(job: Job): void {
    job.isGivenUp = true;
    this.#execution.leaveQueue(job);
    this.#execution.interrupt(job, "cancel");
    this.#delete(job);
    this.#execution.dispatch();
  }

  close(): void {
    this.clock.stop();
    this.webhooks.stop();
    this.#execution.close();
    for (const job of this.#jobs.values()) this.#delete(job);
    this.holds.releaseAll();
  }

  #findElsewhere(jobId: string): Job | undefined {
    for (const endpoint of this.#options.siblings()) {
      const job = endpoint.#jobs.get(jobId);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  #startTtl(job: Job): void {
    const { lifecycle } = this.behaviour;
    const startsAtMs = lifecycle.ttlStartsAtMs(job, this.clock.nowMs());
    this.setTtlEnd(job, startsAtMs + lifecycle.ttlMs(job));
  }

  #startRetention(job: Job): void {
    const { retention } = this.behaviour;
    const startsAtMs = retention.startsAtMs(job, this.clock.nowMs());
    this.#setRetentionEnd(job, startsAtMs + retention.keptMs(job));
  }

  #setRetentionEnd(job: Job, atMs: number): void {
    job.retentionTimer?.cancel();
    job.retentionTimer = this.clock.schedule(atMs, () => this.apply(job, "retention-ended"));
    this.touch(job);
  }

  #restoreTimers({ job, ttlEndsAtMs, retentionEndsAtMs }: FormerJob): void {
    this.#jobs.set(job.id, job);
    if (isFinal(job.status)) {
      if (retentionEndsAtMs !== undefined) this.#setRetentionEnd(job, retentionEndsAtMs);
    } else if (ttlEndsAtMs !== undefined) {
      this.setTtlEnd(job, ttlEndsAtMs);
    }
  }

  /** Back to the queue: a retry begins a new attempt, a dead worker only a new dispatch. */
  #requeue(job: Job, event: TransitionEvent): void {
    job.queuedAtMs = this.clock.nowMs();
    job.startedAtMs = undefined;
    job.finishedAtMs = undefined;
    if (event === "retry") {
      const { operations } = this.behaviour;
      job.attempt += 1;
      job.dispatches = 0;
      job.retentionTimer?.cancel();
      operations.beforeRetry(job);
      if (operations.countsRetry(job)) this.#counters.retried += 1;
      this.#startTtl(job);
    } else if (this.behaviour.operations.countsRedispatch) {
      this.#counters.retried += 1;
    }
    if (event === "worker-died") forgetWork(job);
    this.#execution.enqueue(job);
  }

  #end(job: Job, { output, error }: WorkOutcome): void {
    const { lifecycle, operations, webhook } = this.behaviour;
    job.finishedAtMs = this.clock.nowMs();
    job.output = lifecycle.keptOutput(output, job);
    if (error !== undefined) job.error = lifecycle.keptError(error, job);
    if (!lifecycle.ttlCounts(job)) job.ttlTimer?.cancel();
    const counter = operations.countedAs(job);
    if (counter !== undefined) this.#counters[counter] += 1;
    this.#startRetention(job);
    if (webhook.isCalledFor(job) && this.webhooks.urlOf(job) !== undefined) this.#callWebhook(job);
    this.#notify(job);
  }

  #callWebhook(job: Job): void {
    if (this.behaviour.webhook.keepsWorker(job)) this.#workers.take();
    this.webhooks.call(job);
  }

  #endWebhook(job: Job, wasAcknowledged: boolean): void {
    if (this.behaviour.webhook.keepsWorker(job)) {
      this.#workers.release();
      this.#execution.dispatch();
    }
    if (!wasAcknowledged) this.apply(job, "webhook-given-up");
  }

  #delete(job: Job): void {
    job.isDeleted = true;
    job.ttlTimer?.cancel();
    job.retentionTimer?.cancel();
    this.#jobs.delete(job.id);
    const counter = this.behaviour.operations.takesBack(job);
    if (counter !== undefined) this.#counters[counter] -= 1;
    this.#notify(job);
  }

  #notify(job: Job): void {
    tell(job.waiters);
    tell(job.listeners);
  }
}
