import type { Exchange, RequestSpan } from "../client/index.ts";
import type { OperationName, Schemas } from "../openapi/index.ts";
import type { Evidence } from "../reports/model.ts";
import type { Witness } from "./evidence/evidence.ts";
import { isSuccess, readBody } from "./read.ts";
import { readRecord } from "./record.ts";

/** What one answer of health counted. */
export interface CountsSighting extends RequestSpan {
  readonly jobs: Schemas["HealthAnswer"]["jobs"];
  /** The exchange that showed it, as a report shows it. */
  readonly evidence: () => Evidence;
}

/** What counts of one endpoint can be judged by, besides its jobs: nobody but the run uses it. */
export interface CountedEndpoint {
  readonly endpoint: string;
  readonly sightings: CountsSighting[];
  /** When its clock was moved: all that was due when it was asked for has happened at the answer. */
  readonly settled: RequestSpan[];
  /** When something was sent that may have submitted a job whose id is not known. */
  readonly unknownSubmissionsAtMs: number[];
  /** Whether a request may have had its effect more than once, or never: its answer was lost. */
  isUncertain: boolean;
}

/** Collects the counts of the endpoints that a run has to itself. */
export class CountedEndpoints {
  readonly #endpoints = new Map<string, CountedEndpoint>();

  /** Takes down what an exchange shows of the counts, or does to them. */
  observe(exchange: Exchange, witness: Witness): void {
    const { operation, request, sentAtMs, answeredAtMs } = exchange;
    const counted = this.#at(request.endpointId);
    counted.isUncertain ||= isLost(exchange);
    if (maySubmitUnknown(exchange)) counted.unknownSubmissionsAtMs.push(sentAtMs);
    if (operation !== "health" || !isAnsweredWell(exchange)) return;
    const read = readBody(exchange, "HealthAnswer");
    if (!read.ok) return;
    const { jobs } = read.body;
    counted.sightings.push({ jobs, sentAtMs, answeredAtMs, evidence: () => witness(exchange) });
  }

  /** Takes down that an endpoint's clock was moved. */
  settled(endpoint: string, span: RequestSpan): void {
    this.#at(endpoint).settled.push(span);
  }

  /** Those whose counts can be judged. */
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

/** Whether the target has left a request that changes something without an answer. */
function isLost({ operation, failure, unanswered = [] }: Exchange): boolean {
  if (reading.has(operation)) return false;
  return unanswered.length > 0 || (failure !== undefined && failure.kind !== "aborted");
}

/**
 * Whether there may be one more job than ids are known: the request was broken off, or answered without an id. How a
 * runsync is answered whose job is removed while it waits is not stated.
 */
function maySubmitUnknown(exchange: Exchange): boolean {
  const { operation, answer } = exchange;
  if (operation !== "run" && operation !== "runsync" && operation !== "openai") return false;
  if (answer === undefined) return true;
  if (isSuccess(answer)) return operation === "openai" || !readRecord(exchange).ok;
  return operation === "runsync" || answer.status >= 500;
}

function isAnsweredWell({ answer }: Exchange): boolean {
  return answer !== undefined && isSuccess(answer);
}
