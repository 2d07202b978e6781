import { isSubmission } from "../openapi/operations.ts";
import type { OperationName } from "../openapi/operations.ts";
import type { Evidence } from "../reports/model.ts";
import type { Exchange, RequestSpan } from "../client/exchange.ts";
import { AnswerTimes } from "./answer-times.ts";
import { CountedEndpoints } from "./counted-endpoints.ts";
import type { EvidenceMaker } from "./evidence/evidence.ts";
import type { CountedEndpoint } from "./counted-endpoints.ts";
import { jobOf } from "./evidence/failing.ts";
import { isFinal, recordShownBy } from "./record.ts";
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

/** The operations whose answer shows the state that a job has reached. */
const showing: ReadonlySet<OperationName> = new Set(["runsync", "status"]);

/** Collects what every check of a run observed, so that it can be judged as a whole. */
export class History {
  readonly answerTimes = new AnswerTimes();
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
    this.answerTimes.observe(exchange, makeEvidence);
    if (this.#sightings >= sightingsMax) return;
    const endpoint = exchange.request.endpointId;
    if (crashesItsWorker(exchange)) this.#crashedIn.add(endpoint);
    this.#counted?.observe(exchange, makeEvidence);
    const id = jobOf(exchange);
    if (id === undefined) return;
    const job = this.#job(endpoint, id);
    const { operation, sentAtMs, answeredAtMs } = exchange;
    // Only the times: the exchange itself would keep its answer in memory.
    const span = { sentAtMs, answeredAtMs };
    if (operation === "retry") job.retries.push(span);
    if (operation === "cancel") job.cancels.push(span);
    const shown = recordShownBy(exchange);
    if (shown === undefined) return;
    if (isSubmission(operation)) {
      job.submissions.push(span);
      // A crashed worker's job may be processed again, which puts it back into the queue without a retry (LIFE-05).
      if (crashesItsWorker(exchange)) this.#excused.add(keyOf(endpoint, id));
    }
    if (showing.has(operation)) this.#sighted(job, shown, exchange, makeEvidence);
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
    this.answerTimes.forget();
  }

  #sighted(
    job: JobHistory,
    record: LooseRecord,
    exchange: Exchange,
    makeEvidence: EvidenceMaker,
  ): void {
    const { id, status, output } = record;
    const { operation, sentAtMs, answeredAtMs } = exchange;
    const isKept = operation === "status" && isFinal(record) && isShort(exchange);
    this.#sightings += 1;
    job.sightings.push({
      status,
      hasOutput: output !== undefined && output !== null,
      ...(isKept && { ended: record }),
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

function crashesItsWorker({ request }: Exchange): boolean {
  return request.body?.includes('"op":"crash"') === true;
}
