import type { Evidence } from "../reports/model.ts";
import type { Exchange } from "../client/index.ts";
import { isSuccess } from "./read.ts";
import { readRecord } from "./record.ts";

/** What one answer said of a job, somewhere between the moment it was asked and the moment it answered. */
export interface JobSighting {
  readonly status: string;
  readonly hasOutput: boolean;
  /** The id that the record itself shows. */
  readonly shownId: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** The exchange that showed it, as a report shows it: made only when it is asked for. */
  readonly evidence: () => Evidence;
}

/** How an exchange becomes evidence; the redactor of the check that made it is known only there. */
export type Witness = (exchange: Exchange) => Evidence;

/** A span in which a retry may have led the job back. */
export interface RetrySpan {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Everything that was seen of one job of one endpoint. */
export interface JobHistory {
  readonly endpoint: string;
  readonly id: string;
  readonly sightings: JobSighting[];
  readonly retries: RetrySpan[];
  /** How many submissions were answered with this id. */
  submissions: number;
}

/** More sightings than any run makes; a target that answers without end must not fill the memory. */
const sightingsMax = 100_000;

const keptCharactersMax = 4096;

/** Collects what every check of a run observed, so that it can be judged as one. */
export class History {
  readonly #jobs = new Map<string, JobHistory>();
  readonly #excused = new Set<string>();
  #sightings = 0;

  /** Takes down what an exchange shows of a job. */
  observe(exchange: Exchange, witness: Witness): void {
    if (this.#sightings >= sightingsMax) return;
    const endpoint = exchange.request.endpointId;
    if (exchange.operation === "retry") {
      const { sentAtMs, answeredAtMs } = exchange;
      // Not the exchange itself: it holds its answer for as long as it is held.
      this.#job(endpoint, jobIdOf(exchange)).retries.push({ sentAtMs, answeredAtMs });
    }
    if (exchange.answer === undefined || !isSuccess(exchange.answer)) return;
    if (exchange.operation === "run") this.#submitted(endpoint, exchange);
    if (exchange.operation === "runsync") {
      this.#submitted(endpoint, exchange);
      this.#sighted(this.#job(endpoint, idIn(exchange)), exchange, witness);
    }
    if (exchange.operation === "status") {
      this.#sighted(this.#job(endpoint, jobIdOf(exchange)), exchange, witness);
    }
  }

  /** The jobs in the order in which they were first seen. */
  jobs(): readonly JobHistory[] {
    return [...this.#jobs].flatMap(([key, job]) => (this.#excused.has(key) ? [] : [job]));
  }

  /** Forgets everything: the target has. */
  forget(): void {
    this.#jobs.clear();
    this.#excused.clear();
  }

  #submitted(endpoint: string, exchange: Exchange): void {
    const read = readRecord(exchange);
    if (!read.ok) return;
    this.#job(endpoint, read.body.id).submissions += 1;
    // A crashed worker's job may be processed again, which leads it back without a retry (LIFE-05).
    if (exchange.request.body?.includes('"op":"crash"') === true) {
      this.#excused.add(keyOf(endpoint, read.body.id));
    }
  }

  #sighted(job: JobHistory, exchange: Exchange, witness: Witness): void {
    const read = readRecord(exchange);
    if (!read.ok) return;
    const { id, status, output } = read.body;
    const { sentAtMs, answeredAtMs } = exchange;
    this.#sightings += 1;
    job.sightings.push({
      status,
      hasOutput: output !== undefined && output !== null,
      shownId: id,
      sentAtMs,
      answeredAtMs,
      evidence: testimonyOf(exchange, witness),
    });
  }

  #job(endpoint: string, id: string): JobHistory {
    const key = keyOf(endpoint, id);
    const known = this.#jobs.get(key);
    if (known !== undefined) return known;
    const job: JobHistory = { endpoint, id, sightings: [], retries: [], submissions: 0 };
    this.#jobs.set(key, job);
    return job;
  }
}

function keyOf(endpoint: string, id: string): string {
  return `${endpoint} ${id}`;
}

/** Made when it is asked for, but where that would keep a large answer until the end of the run. */
function testimonyOf(exchange: Exchange, witness: Witness): () => Evidence {
  if ((exchange.answer?.rawText().length ?? 0) <= keptCharactersMax) return () => witness(exchange);
  const evidence = witness(exchange);
  return () => evidence;
}

function idIn(exchange: Exchange): string {
  const read = readRecord(exchange);
  return read.ok ? read.body.id : "";
}

function jobIdOf({ request }: Exchange): string {
  return request.jobId ?? "";
}
