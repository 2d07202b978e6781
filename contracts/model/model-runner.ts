import type { Exchange } from "../../client/index.ts";
import type { TestEndpoint } from "../../harness/endpoint/test-endpoint.ts";
import { requireRead } from "../../harness/jobs/fixtures.ts";
import { answerOf, isSuccess, describeAnswer, readBody } from "../../harness/read.ts";
import { readRecord } from "../../harness/record.ts";
import { Model } from "./model.ts";
import type { ModelJob } from "./model.ts";
import { describeStep } from "./steps.ts";
import type { Step } from "./steps.ts";

/** Target and model disagree: what was expected after which step, and what came. */
export class Disagreement extends Error {
  override readonly name = "Disagreement";
  readonly at: string;
  readonly expected: string;
  readonly got: string;

  constructor(at: string, expected: string, got: string) {
    super(`${at}: expected ${expected}, got ${got}`);
    this.at = at;
    this.expected = expected;
    this.got = got;
  }
}

const workersAtFirst = 1;
const jobsMax = 6;
/** As many as the rate limit lets through in one window (RATE-06). */
const purgesMax = 2;

/**
 * Runs one sequence of steps on a fresh endpoint and on the model, and compares the two after every step: the
 * record of each job, and every count of health (LIFE-06).
 */
export class ModelRunner {
  readonly #endpoint: TestEndpoint;
  readonly #model = new Model(workersAtFirst);
  /** The steps that were taken, one line each. */
  readonly log: string[] = [];
  #healthAtFirst: Health | undefined;

  constructor(endpoint: TestEndpoint) {
    this.#endpoint = endpoint;
  }

  /** @throws Disagreement at the first difference */
  async runSteps(steps: readonly Step[]): Promise<void> {
    this.#healthAtFirst = await this.#health();
    for (const step of steps) {
      const job = "job" in step ? this.#jobFor(step.job) : undefined;
      if ("job" in step && job === undefined) continue;
      if (step.do === "submit" && this.#model.jobs.length >= jobsMax) continue;
      if (step.do === "purge" && this.#purges >= purgesMax) continue;
      this.log.push(`${String(this.log.length + 1)}. ${describeStep(step, job?.number)}`);
      await this.#take(step, job);
      await this.#compare();
    }
  }

  /** Leaves out removed jobs: it is open what may still be done to them (docs/specification.md#after-a-retry). */
  #jobFor(number: number): ModelJob | undefined {
    const known = this.#model.jobs.filter(({ state }) => state !== "removed");
    return known[number % Math.max(1, known.length)];
  }

  async #take(step: Step, job: ModelJob | undefined): Promise<void> {
    const { api, workers } = this.#endpoint;
    switch (step.do) {
      case "submit": {
        const input = step.work.op === "fail" ? { ...step.work, message: "asked to" } : step.work;
        const answer = await api.run({ input, policy: step.policy });
        const { id } = requireRead(readRecord(answer), "could not submit a job: run answered");
        this.#model.submit(id, step.work, step.policy);
        break;
      }
      case "advance":
        await this.#advance(step.ms);
        break;
      case "set workers":
        await workers.set(step.count);
        this.#model.workers = step.count;
        break;
      case "purge":
        await this.#purge();
        break;
      case "cancel":
        if (job !== undefined) await this.#cancel(job);
        break;
      case "retry":
        if (job !== undefined) await this.#retry(job);
        break;
      case "stream":
        if (job !== undefined) await api.stream(job.id);
        break;
    }
  }

  /** Moves time from event to event, and asks the target after each one which waiting jobs were taken. */
  async #advance(ms: number): Promise<void> {
    const model = this.#model;
    const endMs = model.nowMs + ms;
    for (let eventMs = model.nextEventMs(); eventMs < endMs; eventMs = model.nextEventMs()) {
      await this.#endpoint.time.pass(eventMs - this.#targetNowMs + 1);
      this.#targetNowMs = eventMs + 1;
      model.moveTo(eventMs);
      await this.#compare();
    }
    await this.#endpoint.time.pass(endMs - this.#targetNowMs);
    this.#targetNowMs = endMs;
    model.nowMs = endMs;
  }

  /** The target's time in the sequence. The target is read one millisecond after an event, never on it. */
  #targetNowMs = 0;

  #purges = 0;

  async #purge(): Promise<void> {
    this.#purges += 1;
    const waiting = this.#model.purge();
    const answer = readBody(await this.#endpoint.api.purgeQueue(), "PurgeAnswer");
    const expected = `removed ${String(waiting)}`;
    if (!answer.ok) throw this.#disagree("purge-queue", expected, answer.got);
    const { removed } = answer.body;
    if (removed !== waiting)
      throw this.#disagree("purge-queue", expected, `removed ${String(removed)}`);
  }

  async #cancel(job: ModelJob): Promise<void> {
    const exchange = await this.#endpoint.api.cancel(job.id);
    if (job.state !== "IN_QUEUE" && job.state !== "IN_PROGRESS") return;
    this.#mustSucceed(exchange, job, "CANCELLED");
    this.#model.cancel(job);
  }

  async #retry(job: ModelJob): Promise<void> {
    const exchange = await this.#endpoint.api.retry(job.id);
    if (job.state === "FAILED" || job.state === "TIMED_OUT") {
      this.#mustSucceed(exchange, job, "IN_QUEUE");
      this.#model.retry(job);
      return;
    }
    const answer = answerOf(exchange);
    if (answer.status >= 400 && answer.status < 500) return;
    throw this.#disagree(
      `retry of job ${String(job.number)}, ${job.state}`,
      "a refusal (4xx)",
      describeAnswer(answer),
    );
  }

  #mustSucceed(exchange: Exchange, job: ModelJob, status: string): void {
    const read = readRecord(exchange);
    if (read.ok && read.body.status === status && read.body.id === job.id) return;
    const got = read.ok ? `${read.body.status} of ${read.body.id}` : read.got;
    const at = `${exchange.operation} of job ${String(job.number)}, ${job.state}`;
    throw this.#disagree(at, `${status} of ${job.id}`, got);
  }

  /** Reads every job and health, and tells the model which waiting jobs were taken. @throws Disagreement */
  async #compare(): Promise<void> {
    await this.#compareJobs();
    if (this.#couldTakeMore) {
      // A job that is handed to its worker a moment after the answer has been taken once the clock has settled.
      await this.#endpoint.time.settle();
      await this.#compareJobs();
    }
    this.#compareQueue();
    this.#compareHealth(await this.#health());
  }

  async #compareJobs(): Promise<void> {
    const { jobs } = this.#model;
    const shown = await Promise.all(jobs.map(async ({ id }) => this.#endpoint.api.status(id)));
    for (const [index, job] of jobs.entries()) {
      const exchange = shown[index];
      if (exchange !== undefined) this.#compareJob(job, exchange);
    }
  }

  /** Whether a job waits although a worker is free. */
  get #couldTakeMore(): boolean {
    const model = this.#model;
    return model.in("IN_QUEUE").length > 0 && model.in("IN_PROGRESS").length < model.workers;
  }

  #compareJob(job: ModelJob, exchange: Exchange): void {
    const seen = stateIn(exchange);
    // #compareQueue judges whether a worker was free for it, once all jobs have been compared.
    if (job.state === "IN_QUEUE" && seen !== "IN_QUEUE") {
      this.#model.take(job);
      this.#taken.push(job);
    }
    const allowed = allowedOf(job);
    if (allowed.includes(seen)) return;
    throw this.#disagree(`status of job ${String(job.number)}`, allowed.join(" or "), seen);
  }

  /** The jobs that the comparison under way found to have been taken. */
  #taken: ModelJob[] = [];

  #compareQueue(): void {
    const model = this.#model;
    const [waiting, running] = [model.in("IN_QUEUE").length, model.in("IN_PROGRESS").length];
    const workers = `${String(model.workers)} workers`;
    if (this.#couldTakeMore) {
      const got = `${String(waiting)} waiting, ${String(running)} in progress, ${workers}`;
      throw this.#disagree("the queue", "no job waiting while a worker is free", got);
    }
    const taken = this.#taken.splice(0);
    const stillRunning = taken.filter(({ state }) => state === "IN_PROGRESS").length;
    const free = model.workers - (running - stillRunning);
    if (taken.length > 0 && (free < 1 || stillRunning > free)) {
      const got = `${String(taken.length)} taken with ${String(Math.max(0, free))} free of ${workers}`;
      throw this.#disagree("the workers", "a free worker for each job taken", got);
    }
  }

  #compareHealth({ jobs, workers }: Health): void {
    const model = this.#model;
    const first = this.#healthAtFirst?.jobs ?? jobs;
    const running = model.in("IN_PROGRESS").length;
    this.#equal("health jobs.inQueue", model.in("IN_QUEUE").length, jobs.inQueue);
    this.#equal("health jobs.inProgress", running, jobs.inProgress);
    this.#equal("health workers.running", running, workers.running);
    this.#equal("health workers.idle", Math.max(0, model.workers - running), workers.idle);
    this.#equal("growth of jobs.retried", model.retries, jobs.retried - first.retried);
    const { COMPLETED, FAILED, TIMED_OUT, removed } = model.endings;
    this.#equal("growth of jobs.completed", COMPLETED, jobs.completed - first.completed);
    // Whether timed out, expired and purged jobs count as failed is open (docs/specification.md#counts-of-health).
    const grown = jobs.failed - first.failed;
    if (grown >= FAILED && grown <= FAILED + TIMED_OUT + removed) return;
    throw this.#disagree("growth of jobs.failed", String(FAILED), String(grown));
  }

  #equal(at: string, expected: number, got: number): void {
    if (expected !== got) throw this.#disagree(at, String(expected), String(got));
  }

  async #health(): Promise<Health> {
    const read = readBody(await this.#endpoint.api.health(), "HealthAnswer");
    return requireRead(read, "could not read the counts: health answered");
  }

  #disagree(at: string, expected: string, got: string): Disagreement {
    return new Disagreement(`after step ${String(this.log.length)}, ${at}`, expected, got);
  }
}

type Health = Extract<ReturnType<typeof readBody<"HealthAnswer">>, { ok: true }>["body"];

/** The states that status may show of a job, given what the model knows of it. */
function allowedOf({ state, endedAs }: ModelJob): readonly string[] {
  // POLI-14 and PURG-06: what is shown of an expired or a purged job is open.
  if (state === "removed") return ["unknown", "TIMED_OUT", "FAILED", "CANCELLED"];
  if (state !== "deleted") return [state];
  // The specification limits the retention of results, and only a completed job has one.
  return endedAs === undefined || endedAs === "COMPLETED" ? ["unknown"] : ["unknown", endedAs];
}

function stateIn(exchange: Exchange): string {
  const answer = answerOf(exchange);
  if (answer.status === 404 || answer.status === 400) return "unknown";
  const read = readRecord(exchange);
  if (read.ok) return read.body.status;
  return isSuccess(answer) ? read.got : describeAnswer(answer);
}
