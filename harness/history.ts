import type { Evidence } from "../reports/model.ts";
import type { Exchange, RequestSpan } from "../client/index.ts";
import { CountedEndpoints } from "./counted-endpoints.ts";
import type { EvidenceMaker } from "./evidence/evidence.ts";
import type { CountedEndpoint } from "./counted-endpoints.ts";
import { isSuccess } from "./read.ts";
import { isFinal, readRecord } from "./record.ts";
import type { LooseRecord } from "./record.ts";

/** What one answer said of a job, at some moment between the request and the answer. */
export interface JobSighting extends RequestSpan {
  readonly status: string;
  readonly hasOutput: boolean;
  /** The record of an ended job that status showed; kept only where the answer is short. */
  readonly ended?: LooseRecord;
  /** The id that the record itself shows. */
  readonly shownId: string;
  /** Returns the exchange that showed it, in the form that a report has. */
  readonly evidence: () => Evidence;
}

/** Everything that was seen of one job of one endpoint. */
export interface JobHistory {
  readonly endpoint: string;
  readonly id: string;
  readonly sightings: JobSighting[];
  /** When a retry may have put the job back into the queue. */
  readonly retries: RequestSpan[];
  /** When a cancel may have changed it. */
  readonly cancels: RequestSpan[];
  /** The submissions that were answered with this id. */
  readonly submissions: RequestSpan[];
}

/** More sightings than any run makes; a target that answers without end must not fill the memory. */
const sightingsMax = 100_000;

const keptCharactersMax = 4096;

/** Collects what every check of a run observed, so that it can be judged as a whole. */
export class History {
  readonly #jobs = new Map<string, JobHistory>();
  readonly #excused = new Set<string>();
  /** The endpoints to which a job was sent that crashes its worker, whatever came back. */
  readonly #crashedIn = new Set<string>();
  /** Absent where health may count jobs of others, too, or may count late. */
  readonly #counted: CountedEndpoints | undefined;
  #sightings = 0;

  constructor({ keepsCounts }: { readonly keepsCounts: boolean }) {
    this.#counted = keepsCounts ? new CountedEndpoints() : undefined;
  }

  /** Records what an exchange shows of a job. */
  observe(exchange: Exchange, makeEvidence: EvidenceMaker): void {
    if (this.#sightings >= sightingsMax) return;
    const endpoint = exchange.request.endpointId;
    if (crashesItsWorker(exchange)) this.#crashedIn.add(endpoint);
    this.#counted?.observe(exchange, makeEvidence);
    if (exchange.operation === "retry" || exchange.operation === "cancel") {
      const { sentAtMs, answeredAtMs } = exchange;
      const { retries, cancels } = this.#job(endpoint, jobIdOf(exchange));
      // Only the times: the exchange itself would keep its answer in memory.
      (exchange.operation === "retry" ? retries : cancels).push({ sentAtMs, answeredAtMs });
    }
    if (exchange.answer === undefined || !isSuccess(exchange.answer)) return;
    if (exchange.operation === "run") this.#submitted(endpoint, exchange);
    if (exchange.operation === "runsync") {
      this.#submitted(endpoint, exchange);
      this.#sighted(this.#job(endpoint, idIn(exchange)), exchange, makeEvidence);
    }
    if (exchange.operation === "status") {
      this.#sighted(this.#job(endpoint, jobIdOf(exchange)), exchange, makeEvidence);
    }
  }

  /** The jobs in the order in which they were first seen. */
  jobs(): readonly JobHistory[] {
    return [...this.#jobs].flatMap(([key, job]) => (this.#excused.has(key) ? [] : [job]));
  }

  /** Records that an endpoint's clock was moved: by the answer, all that was due has happened. */
  settled(endpoint: string, span: RequestSpan): void {
    this.#counted?.settled(endpoint, span);
  }

  /** The endpoints whose counts can be judged, without those where a crash may have put a job back into the queue. */
  counted(): readonly CountedEndpoint[] {
    return this.#counted?.all().filter(({ endpoint }) => !this.#crashedIn.has(endpoint)) ?? [];
  }

  /** Forgets everything, as a target that was started anew has. */
  forget(): void {
    this.#jobs.clear();
    this.#excused.clear();
    this.#crashedIn.clear();
    this.#counted?.forget();
  }

  #submitted(endpoint: string, exchange: Exchange): void {
    const read = readRecord(exchange);
    if (!read.ok) return;
    const { sentAtMs, answeredAtMs } = exchange;
    this.#job(endpoint, read.body.id).submissions.push({ sentAtMs, answeredAtMs });
    // A crashed worker's job may be processed again, which puts it back into the queue without a retry (LIFE-05).
    if (crashesItsWorker(exchange)) this.#excused.add(keyOf(endpoint, read.body.id));
  }

  #sighted(job: JobHistory, exchange: Exchange, makeEvidence: EvidenceMaker): void {
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
      evidence: createEvidenceGetter(exchange, makeEvidence),
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

/** Makes the evidence when it is asked for, or at once where waiting would keep a large answer in memory. */
function createEvidenceGetter(exchange: Exchange, makeEvidence: EvidenceMaker): () => Evidence {
  return isShort(exchange) ? () => makeEvidence(exchange) : always(makeEvidence(exchange));
}

/** A function of its own, so that the closure does not keep what the value was made from in memory. */
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

function crashesItsWorker({ request }: Exchange): boolean {
  return request.body?.includes('"op":"crash"') === true;
}

function jobIdOf({ request }: Exchange): string {
  return request.jobId ?? "";
}
