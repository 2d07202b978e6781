import { waitMsIn } from "../../client/job-client.ts";
import { requestLineOf } from "../../client/transport.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { DroppedRequest, Evidence } from "../../reports/model.ts";
import type { ControlCall } from "../../client/control-client.ts";
import type { Exchange, FailureKind, SentRequest } from "../../client/exchange.ts";
import type { Redactor } from "../../client/redactor.ts";
import type { TimeLog } from "../endpoint/time-log.ts";
import { DeviationLog } from "../expect.ts";
import type { Findings } from "../expect.ts";
import type { Hook } from "../webhooks/hook.ts";
import type { ConfiguredDialect } from "../dialects/configured-dialect.ts";

/** One thing that a check did, in the order in which it was begun or answered. */
export type RecordedStep =
  | { readonly kind: "exchange"; readonly exchange: Exchange }
  | { readonly kind: "control"; readonly call: ControlCall; readonly atMs: number }
  | { readonly kind: "endpoint"; readonly endpointId: string; readonly atMs: number };

/** The failures after which the target may have taken a request although its answer was lost. */
const losing: ReadonlySet<FailureKind> = new Set([
  "connection",
  "refused",
  "protocol",
  "unanswered",
]);

/** Whether sending twice may do something else than sending once: stream may take chunks, a ttl counts anew. */
function mayChange(operation: OperationName, { method, url }: SentRequest): boolean {
  return method !== "GET" || operation === "stream" || url.includes("ttl=");
}

/** The shortest time in the specification: after an answer that took longer, a job may be in another state. */
const answerMsMax = 1000;

/** Everything that one check did and found. */
export class Recorder {
  readonly findings: Findings;
  /** Exchanges of other checks, added as evidence. */
  readonly attachments: Evidence[] = [];
  /** The requests that were answered only when they were sent again. */
  readonly dropped: DroppedRequest[] = [];
  /** The steps of a random sequence, one line each. */
  readonly steps: string[] = [];
  /** The webhook addresses that were made for it. */
  readonly hooks: Hook[] = [];
  /** The time of each endpoint it worked on, by the endpoint's id. */
  readonly endpoints = new Map<string, TimeLog>();
  readonly redactor: Redactor;
  /** What it did since the record began. */
  recordedSteps: RecordedStep[] = [];
  exchanges: Exchange[] = [];

  constructor(redactor: Redactor, dialect: ConfiguredDialect) {
    this.redactor = redactor;
    this.findings = {
      comparisons: new Map(),
      mismatches: [],
      readings: [],
      deviations: new DeviationLog(),
      dialect,
    };
  }

  /** Notes a late answer: what is seen after it proves nothing where time matters, as a job may have ended by then. */
  noteIfLate({ operation, request, sentAtMs, answeredAtMs }: Exchange): void {
    const tookMs = answeredAtMs - sentAtMs;
    const waitMs = operation === "runsync" ? waitMsIn(request.url) : 0;
    if (tookMs <= waitMs + answerMsMax) return;
    this.findings.doubt ??= `${operation} was answered after ${Math.round(tookMs)} ms, so what came after it proves nothing`;
  }

  record(step: RecordedStep): void {
    this.recordedSteps.push(step);
    if (step.kind !== "exchange") return;
    this.exchanges.push(step.exchange);
    this.findings.seenLast = step.exchange;
    this.#noteResent(step.exchange);
    for (const deviation of step.exchange.deviations ?? []) this.findings.deviations.add(deviation);
  }

  /** Notes a lost answer: the request may have made a job all the same, and two jobs if it was sent again. */
  #noteResent({ operation, request, failure, unanswered = [] }: Exchange): void {
    const [first] = unanswered;
    if (first !== undefined) {
      this.dropped.push({
        request: requestLineOf(request),
        error: this.redactor.redact(first.message),
        times: unanswered.length,
      });
    }
    const isLost = failure !== undefined && losing.has(failure.kind);
    const isRepeated = first !== undefined && mayChange(operation, request);
    if (isLost) {
      this.findings.doubt ??= `${operation} got no answer (${failure.message}), so what came after it proves nothing`;
    } else if (isRepeated) {
      this.findings.doubt ??= `an answer of ${operation} was lost and it was sent again, so it may have had its effect twice`;
    }
  }

  /** Forgets the steps so far: the record begins with the next one. */
  startOver(): void {
    this.recordedSteps = [];
    this.exchanges = [];
  }
}
