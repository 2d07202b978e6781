import type { Exchange, RequestSpan } from "../client/exchange.ts";
import type { OperationName } from "../openapi/operations.ts";
import type { Schemas } from "../openapi/schemas.ts";
import type { Evidence } from "../reports/model.ts";
import type { EvidenceMaker } from "./evidence/evidence.ts";
import { isSuccess, readBody } from "./read.ts";
import { recordShownBy } from "./record.ts";

/** The job counts of one answer of health. */
export interface CountsSighting extends RequestSpan {
  readonly jobs: Schemas["HealthAnswer"]["jobs"];
  /** The exchange that showed it, as a report shows it. */
  readonly evidence: () => Evidence;
}

/** What was observed of an endpoint that only this run uses; its counts are judged by this and by its jobs. */
export interface CountedEndpoint {
  readonly endpoint: string;
  readonly sightings: CountsSighting[];
  /** When its clock was moved: by the answer, all that was due has happened. */
  readonly settled: RequestSpan[];
  /** When each request was sent that may have submitted a job whose id is not known. */
  readonly unknownSubmissionsAtMs: number[];
  /** Whether the answer of a request was lost, so that its effect may have come more than once, or never. */
  isUncertain: boolean;
}

/** Collects the counts of the endpoints that a run has to itself. */
export class CountedEndpoints {
  readonly #endpoints = new Map<string, CountedEndpoint>();

  /** Records what an exchange shows of the counts, and what it may have changed in them. */
  observe(exchange: Exchange, makeEvidence: EvidenceMaker): void {
    const { operation, request, answer, sentAtMs, answeredAtMs } = exchange;
    const counted = this.#at(request.endpointId);
    counted.isUncertain ||= isLost(exchange);
    if (maySubmitUnknown(exchange)) counted.unknownSubmissionsAtMs.push(sentAtMs);
    if (operation !== "health" || answer === undefined || !isSuccess(answer)) return;
    const read = readBody(exchange, "HealthAnswer");
    if (!read.ok) return;
    const evidence = (): Evidence => makeEvidence(exchange);
    counted.sightings.push({ jobs: read.body.jobs, sentAtMs, answeredAtMs, evidence });
  }

  /** Records that an endpoint's clock was moved. */
  settled(endpoint: string, span: RequestSpan): void {
    this.#at(endpoint).settled.push(span);
  }

  /** The endpoints whose counts can be judged: those that are not uncertain. */
  all(): readonly CountedEndpoint[] {
    return [...this.#endpoints.values()].filter(({ isUncertain }) => !isUncertain);
  }

  forget(): void {
    this.#endpoints.clear();
  }

  #at(endpoint: string): CountedEndpoint {
    const known = this.#endpoints.get(endpoint);
    if (known !== undefined) return known;
    const made = {
      endpoint,
      sightings: [],
      settled: [],
      unknownSubmissionsAtMs: [],
      isUncertain: false,
    };
    this.#endpoints.set(endpoint, made);
    return made;
  }
}

const reading: ReadonlySet<OperationName> = new Set(["status", "stream", "health", "requests"]);

/** Whether a request that changes something was left without an answer, at least once. */
function isLost({ operation, failure, unanswered = [] }: Exchange): boolean {
  if (reading.has(operation)) return false;
  return unanswered.length > 0 || (failure !== undefined && failure.kind !== "aborted");
}

/**
 * Whether the request may have submitted a job whose id is not known: it got no answer, no id, or a 5xx. For runsync
 * any refusal counts: how it is answered when its job is removed while it waits is not stated.
 */
function maySubmitUnknown(exchange: Exchange): boolean {
  const { operation, answer } = exchange;
  if (operation !== "run" && operation !== "runsync" && operation !== "openai") return false;
  if (answer === undefined) return true;
  if (isSuccess(answer)) return operation === "openai" || recordShownBy(exchange) === undefined;
  return operation === "runsync" || answer.status >= 500;
}
