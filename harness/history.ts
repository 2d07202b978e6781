import type { Evidence } from "../reports/model.ts";
import type { Exchange, RequestSpan } from "../client/index.ts";
import { CountedEndpoints } from "./counted-endpoints.ts";
import type { Witness } from "./evidence/evidence.ts";
import type { CountedEndpoint } from "./counted-endpoints.ts";
import { isSuccess } from "./read.ts";
import { isFinal, readRecord } from "./record.ts";
import type { LooseRecord } from "./record.ts";

/** What one answer said of a job, somewhere between the moment it was asked and the moment it answered. */
export interface JobSighting extends RequestSpan {
  readonly status: string;
  readonly hasOutput: boolean;
  /** What status showed of a job that has ended, where that is little. */
  readonly ended?: LooseRecord;
  /** The id that the record itself shows. */
  readonly shownId: string;
  /** The exchange that showed it, as a report shows it: made only when it is asked for. */
  readonly evidence: () => Evidence;
}

/** Everything that was seen of one job of one endpoint. */
export interface JobHistory {
  readonly endpoint: string;
  readonly id: string;
  readonly sightings: JobSighting[];
  /** When a retry may have led the job back. */
  readonly retries: RequestSpan[];
  /** When a cancel may have changed it. */
  readonly cancels: RequestSpan[];
  /** The submissions that were answered with this id. */
  readonly submissions: RequestSpan[];
}

/** More sightings than any run makes; a target that answers without end must not fill the memory. */
const sightingsMax = 100_000;

const keptCharactersMax = 4096;

/** Collects what every check of a run observed, so that it can be judged as one. */
export class History {
  readonly #jobs = new Map<string, JobHistory>();
  readonly #excused = new Set<string>();
  /** Absent where the counts of health are not those of the run's own jobs, or may come late. */
  readonly #counted: CountedEndpoints | undefined;
  #sightings = 0;

  constructor({ keepsCounts }: { readonly keepsCounts: boolean }) {
    this.#counted = keepsCounts ? new CountedEndpoints() : undefined;
  }

  /** Takes down what an exchange shows of a job. */
  observe(exchange: Exchange, witness: Witness): void {
    if (this.#sightings >= sightingsMax) return;
    const endpoint = exchange.request.endpointId;
    this.#counted?.observe(exchange, witness);
    if (exchange.operation === "retry" || exchange.operation === "cancel") {
      const { sentAtMs, answeredAtMs } = exchange;
      const { retries, cancels } = this.#job(endpoint, jobIdOf(exchange));
      // Not the exchange itself: it holds its answer for as long as it is held.
      (exchange.operation === "retry" ? retries : cancels).push({ sentAtMs, answeredAtMs });
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

  /** Takes down that an endpoint's clock was moved: all that was due when it was asked for has happened. */
  settled(endpoint: string, span: RequestSpan): void {
    this.#counted?.settled(endpoint, span);
  }

  /** The endpoints whose counts can be judged; not those where a crash may have led a job back. */
  counted(): readonly CountedEndpoint[] {
    const excused = new Set([...this.#excused].map((key) => this.#jobs.get(key)?.endpoint));
    return this.#counted?.all().filter(({ endpoint }) => !excused.has(endpoint)) ?? [];
  }

  /** Forgets everything: the target has. */
  forget(): void {
    this.#jobs.clear();
    this.#excused.clear();
    this.#counted?.forget();
  }

  #submitted(endpoint: string, exchange: Exchange): void {
    const read = readRecord(exchange);
    if (!read.ok) return;
    const { sentAtMs, answeredAtMs } = exchange;
    this.#job(endpoint, read.body.id).submissions.push({ sentAtMs, answeredAtMs });
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
      ...(exchange.operation === "status" &&
        isFinal(read.body) &&
        isShort(exchange) && { ended: read.body }),
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
    const job = { endpoint, id, sightings: [], retries: [], cancels: [], submissions: [] };
    this.#jobs.set(key, job);
    return job;
  }
}

function keyOf(endpoint: string, id: string): string {
  return `${endpoint} ${id}`;
}

/** Made when it is asked for, but where that would keep a large answer until the end of the run. */
function testimonyOf(exchange: Exchange, witness: Witness): () => Evidence {
  return isShort(exchange) ? () => witness(exchange) : always(witness(exchange));
}

/** Made apart from what the value was made of, which it would hold as long. */
function always<T>(value: T): () => T {
  return () => value;
}

function isShort({ answer }: Exchange): boolean {
  return (answer?.rawText().length ?? 0) <= keptCharactersMax;
}

function idIn(exchange: Exchange): string {
  const read = readRecord(exchange);
  return read.ok ? read.body.id : "";
}

function jobIdOf({ request }: Exchange): string {
  return request.jobId ?? "";
}
