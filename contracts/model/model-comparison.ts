import type { Exchange } from "../../client/exchange.ts";
import type { TestEndpoint } from "../../harness/endpoint/test-endpoint.ts";
import { requireRead } from "../../harness/jobs/fixtures.ts";
import { answerOf, isSuccess, describeAnswer, readBody } from "../../harness/read.ts";
import { readRecord } from "../../harness/record.ts";
import { operationNamed } from "../../openapi/operations.ts";
import type { Schemas } from "../../openapi/schemas.ts";
import type { Model, ModelJob, ModelState } from "./model.ts";

/** Target and model disagree: what was expected, and what came. */
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

  /** The same, with the number of the step after which it was found. */
  afterStep(number: number): Disagreement {
    return new Disagreement(`after step ${number}, ${this.at}`, this.expected, this.got);
  }
}

/** A sequence cannot go on: what comes next is open, or a rate limit is reached. Up to there all agreed. */
export class SequenceOver extends Error {
  override readonly name = "SequenceOver";
}

/** How many reads of status the limit lets through in one window; a sequence of fewer cannot have reached it. */
const statusLimit = operationNamed.status.rateLimit.requestsPerWindow ?? Infinity;

/**
 * Compares the jobs and counts of a target with those of a model, and tells the model which waiting jobs were taken, since
 * their order is open.
 */
export class ModelComparison {
  readonly #endpoint: TestEndpoint;
  readonly #model: Model;
  readonly #endedReads: number;
  #healthAtFirst: Schemas["HealthAnswer"] | undefined;
  /** The state in which each job was seen last. */
  readonly #seen = new Map<ModelJob, ModelState>();
  /** The ended job that is read again next. */
  #nextEnded = 0;
  #statusReads = 0;
  /** The jobs that the comparison under way found to have been taken. */
  readonly #taken: ModelJob[] = [];

  /** @param endedReads how many of the jobs that have been seen to have ended are read again each time, in turn */
  constructor(endpoint: TestEndpoint, model: Model, endedReads: number) {
    this.#endpoint = endpoint;
    this.#model = model;
    this.#endedReads = endedReads;
  }

  /** Reads the counts that later ones are compared with. */
  async begin(): Promise<void> {
    this.#healthAtFirst = await this.#health();
  }

  /** Reads jobs and health. @throws Disagreement, SequenceOver */
  async compare(): Promise<void> {
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
    const jobs = this.#jobsToRead();
    const shown = await Promise.all(jobs.map(async ({ id }) => this.#endpoint.api.status(id)));
    this.#statusReads += jobs.length;
    for (const [index, job] of jobs.entries()) {
      const exchange = shown[index];
      if (exchange !== undefined) this.#compareJob(job, exchange);
    }
  }

  /** All that have not been seen as they are now, or may change, and some of the others in turn. */
  #jobsToRead(): readonly ModelJob[] {
    const { jobs } = this.#model;
    const mayChange = (job: ModelJob): boolean =>
      isUnfinished(job) || (job.state !== "deleted" && this.#seen.get(job) !== job.state);
    const ended = jobs.filter((job) => !mayChange(job));
    const again = Array.from({ length: Math.min(this.#endedReads, ended.length) }).flatMap(
      (_, at) => ended[(this.#nextEnded + at) % ended.length] ?? [],
    );
    this.#nextEnded += again.length;
    return [...jobs.filter(mayChange), ...again];
  }

  /** Whether a job waits although a worker is free. */
  get #couldTakeMore(): boolean {
    const model = this.#model;
    return model.in("IN_QUEUE").length > 0 && model.in("IN_PROGRESS").length < model.workers;
  }

  #compareJob(job: ModelJob, exchange: Exchange): void {
    const seen = this.#stateIn(exchange);
    // #compareQueue judges whether a worker was free for it, once all jobs have been compared.
    if (job.state === "IN_QUEUE" && seen !== "IN_QUEUE") {
      this.#model.take(job);
      this.#taken.push(job);
    }
    const allowed = allowedOf(job);
    if (!allowed.includes(seen))
      throw new Disagreement(`status of job ${job.number}`, allowed.join(" or "), seen);
    this.#seen.set(job, job.state);
  }

  /** @throws SequenceOver where a sequence of so many reads may have reached the limit on status */
  #stateIn(exchange: Exchange): string {
    const answer = answerOf(exchange);
    if (answer.status === 429 && this.#statusReads > statusLimit) throw new SequenceOver();
    if (answer.status === 404 || answer.status === 400) return "unknown";
    const read = readRecord(exchange);
    if (read.ok) return read.body.status;
    return isSuccess(answer) ? read.got : describeAnswer(answer);
  }

  #compareQueue(): void {
    const model = this.#model;
    const [waiting, running] = [model.in("IN_QUEUE").length, model.in("IN_PROGRESS").length];
    const workers = `${model.workers} workers`;
    if (this.#couldTakeMore) {
      const got = `${waiting} waiting, ${running} in progress, ${workers}`;
      throw new Disagreement("the queue", "no job waiting while a worker is free", got);
    }
    const taken = this.#taken.splice(0);
    const stillRunning = taken.filter(({ state }) => state === "IN_PROGRESS").length;
    const free = model.workers - (running - stillRunning);
    if (taken.length > 0 && (free < 1 || stillRunning > free)) {
      const got = `${taken.length} taken with ${Math.max(0, free)} free of ${workers}`;
      throw new Disagreement("the workers", "a free worker for each job taken", got);
    }
  }

  #compareHealth({ jobs, workers }: Schemas["HealthAnswer"]): void {
    const model = this.#model;
    const first = this.#healthAtFirst?.jobs ?? jobs;
    const running = model.in("IN_PROGRESS").length;
    requireEqual("health jobs.inQueue", model.in("IN_QUEUE").length, jobs.inQueue);
    requireEqual("health jobs.inProgress", running, jobs.inProgress);
    requireEqual("health workers.running", running, workers.running);
    requireEqual("health workers.idle", Math.max(0, model.workers - running), workers.idle);
    requireEqual("growth of jobs.retried", model.retries, jobs.retried - first.retried);
    const { COMPLETED = 0, FAILED = 0, TIMED_OUT = 0, removed = 0 } = model.endings;
    requireEqual("growth of jobs.completed", COMPLETED, jobs.completed - first.completed);
    // Whether timed out, expired and purged jobs count as failed is open (docs/specification.md#counts-of-health).
    const grown = jobs.failed - first.failed;
    if (grown >= FAILED && grown <= FAILED + TIMED_OUT + removed) return;
    throw new Disagreement("growth of jobs.failed", String(FAILED), String(grown));
  }

  async #health(): Promise<Schemas["HealthAnswer"]> {
    const read = readBody(await this.#endpoint.api.health(), "HealthAnswer");
    return requireRead(read, "could not read the counts: health answered");
  }
}

function requireEqual(at: string, expected: number, got: number): void {
  if (expected !== got) throw new Disagreement(at, String(expected), String(got));
}

function isUnfinished({ state }: ModelJob): boolean {
  return state === "IN_QUEUE" || state === "IN_PROGRESS";
}

/** The states that status may show of a job, given what the model knows of it. */
function allowedOf({ state, endedAs }: ModelJob): readonly string[] {
  // POLI-14 and PURG-06: what is shown of an expired or a purged job is open.
  if (state === "removed") return ["unknown", "TIMED_OUT", "FAILED", "CANCELLED"];
  if (state !== "deleted") return [state];
  // The specification limits the retention of results, and only a completed job has one.
  return endedAs === undefined || endedAs === "COMPLETED" ? ["unknown"] : ["unknown", endedAs];
}
