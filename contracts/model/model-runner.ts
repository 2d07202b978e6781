import type { Exchange } from "../../client/exchange.ts";
import type { TestEndpoint } from "../../harness/endpoint/test-endpoint.ts";
import { requireRead } from "../../harness/jobs/fixtures.ts";
import { answerOf, describeAnswer, readBody } from "../../harness/read.ts";
import { readRecord } from "../../harness/record.ts";
import { ModelComparison, Disagreement, SequenceOver } from "./model-comparison.ts";
import { Model } from "./model.ts";
import type { ModelJob } from "./model.ts";
import { describeStep } from "./steps.ts";
import type { JobStep, Step, SubmitStep } from "./steps.ts";

const workersAtFirst = 1;
/** As many as the rate limit lets through in one window (RATE-06). */
const purgesMax = 2;

/** Moments of a long sequence are so far apart, in milliseconds, or the same. */
const gridMs = 10;

/** How far a sequence may go, and how much is read after each of its steps. */
export interface SequenceLimits {
  readonly jobsMax: number;
  /** How many jobs may be unfinished before a submission. */
  readonly unfinishedMax: number;
  /** How many of the jobs that have been seen to have ended are read again after each step, in turn. */
  readonly endedReads: number;
  /** Whether jobs are read at the moment at which the data of one is deleted, too. */
  readonly stopsAtDeletions: boolean;
}

/** The latest jobs, among which a step finds its own. */
const latestJobs = 60;

/**
 * Runs one sequence of steps on a fresh endpoint and on the model, and compares the two after every step: the
 * record of each job, and every count of health (LIFE-06).
 */
export class ModelRunner {
  readonly #endpoint: TestEndpoint;
  readonly #limits: SequenceLimits;
  readonly #model = new Model(workersAtFirst);
  readonly #comparison: ModelComparison;
  /** The steps that were taken, one line each. */
  readonly log: string[] = [];

  constructor(endpoint: TestEndpoint, limits: SequenceLimits) {
    this.#endpoint = endpoint;
    this.#limits = limits;
    this.#comparison = new ModelComparison(endpoint, this.#model, limits.endedReads);
  }

  /** How many steps were taken and compared. */
  compared = 0;

  /**
   * Takes the steps until what comes next is open or a rate limit is reached.
   * @throws Disagreement at the first difference
   */
  async runSteps(steps: readonly Step[]): Promise<void> {
    try {
      await this.#comparison.begin();
      for (const step of steps) await this.#takeAndCompare(step);
    } catch (error) {
      if (error instanceof Disagreement) throw error.afterStep(this.log.length);
      if (!(error instanceof SequenceOver)) throw error;
    }
  }

  async #takeAndCompare(step: Step): Promise<void> {
    const job = "job" in step ? this.#jobFor(step) : undefined;
    if ("job" in step && job === undefined) return;
    if (step.do === "submit" && !this.#hasRoom) return;
    if (step.do === "purge" && this.#purges >= purgesMax) return;
    this.log.push(`${this.log.length + 1}. ${describeStep(step, job?.number)}`);
    await this.#take(step, job);
    await this.#comparison.compare();
    this.compared += 1;
  }

  get #hasRoom(): boolean {
    const { jobsMax, unfinishedMax } = this.#limits;
    const unfinished = this.#model.in("IN_QUEUE", "IN_PROGRESS").length;
    return this.#model.jobs.length < jobsMax && unfinished < unfinishedMax;
  }

  /**
   * Leaves out removed jobs: it is open what may still be done to them (docs/specification.md#after-a-retry). Every other
   * retry is of a job that can be retried, where there is one.
   */
  #jobFor(step: JobStep): ModelJob | undefined {
    const known = this.#model.jobs.filter(({ state }) => state !== "removed").slice(-latestJobs);
    const retryable = known.filter(({ state }) => state === "FAILED" || state === "TIMED_OUT");
    const isToSucceed = step.do === "retry" && step.job % 2 === 1 && retryable.length > 0;
    const candidates = isToSucceed ? retryable : known;
    return candidates[step.job % Math.max(1, candidates.length)];
  }

  async #take(step: Step, job: ModelJob | undefined): Promise<void> {
    const { api, workers } = this.#endpoint;
    switch (step.do) {
      case "submit":
        await this.#submit(step);
        break;
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

  async #submit({ work, policy, count = 1, characters = 0 }: SubmitStep): Promise<void> {
    const message = work.op === "fail" ? { message: "asked to" } : {};
    const text = characters === 0 ? {} : { value: "x".repeat(characters) };
    const input = { ...work, ...message, ...text };
    const answers = await Promise.all(
      Array.from({ length: count }, async () => this.#endpoint.api.run({ input, policy })),
    );
    for (const answer of answers) {
      const { id } = requireRead(readRecord(answer), "could not submit a job: run answered");
      this.#model.submit(id, work, policy);
    }
  }

  /** Moves time from event to event, and asks the target after each one which waiting jobs were taken. */
  async #advance(ms: number): Promise<void> {
    const model = this.#model;
    const endMs = this.#freeMomentFrom(model.nowMs + ms);
    for (let eventMs = this.#nextMs(); eventMs < endMs; eventMs = this.#nextMs()) {
      if (model.isAmbiguousAt(eventMs)) throw new SequenceOver();
      await this.#endpoint.time.pass(eventMs - this.#targetNowMs + 1);
      this.#targetNowMs = eventMs + 1;
      model.moveTo(eventMs);
      await this.#comparison.compare();
    }
    await this.#endpoint.time.pass(endMs - this.#targetNowMs);
    this.#targetNowMs = endMs;
    model.moveTo(endMs);
  }

  #nextMs(): number {
    return this.#limits.stopsAtDeletions ? this.#model.nextEventMs() : this.#model.nextEndMs();
  }

  /** The first moment from this one on at which nothing happens by itself. */
  #freeMomentFrom(momentMs: number): number {
    return this.#model.hasEventAt(momentMs) ? this.#freeMomentFrom(momentMs + gridMs) : momentMs;
  }

  /** The target's time in the sequence. The target is read one millisecond after an event, never on it. */
  #targetNowMs = 0;

  #purges = 0;

  async #purge(): Promise<void> {
    this.#purges += 1;
    const waiting = this.#model.purge();
    const answer = readBody(await this.#endpoint.api.purgeQueue(), "PurgeAnswer");
    const expected = `removed ${waiting}`;
    if (!answer.ok) throw new Disagreement("purge-queue", expected, answer.got);
    const { removed } = answer.body;
    if (removed !== waiting) throw new Disagreement("purge-queue", expected, `removed ${removed}`);
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
    throw new Disagreement(
      `retry of job ${job.number}, ${job.state}`,
      "a refusal (4xx)",
      describeAnswer(answer),
    );
  }

  #mustSucceed(exchange: Exchange, job: ModelJob, status: string): void {
    const read = readRecord(exchange);
    if (read.ok && read.body.status === status && read.body.id === job.id) return;
    const got = read.ok ? `${read.body.status} of ${read.body.id}` : read.got;
    const at = `${exchange.operation} of job ${job.number}, ${job.state}`;
    throw new Disagreement(at, `${status} of ${job.id}`, got);
  }
}
