import type { Exchange } from "../../client/exchange.ts";
import { operationOf } from "../../reports/failing-evidence.ts";
import type { Evidence } from "../../reports/model.ts";
import { durationText } from "../../reports/words.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { askedUnder } from "../dialects/record-operations.ts";
import { silentCause } from "../circuit-breaker.ts";
import type { CircuitBreaker } from "../circuit-breaker.ts";
import type { WatchedCall } from "../target-watch.ts";
import type { Discovery } from "./discovery.ts";

/** An operation is slow that takes so long, in milliseconds, and so many times as long as the others. */
const slowMs = 1000;
const slowFactor = 10;
/** A shorter silence of the target may be chance. */
const silentMsMin = 4000;

/** A call while which the target answered nothing, and for how long that was. */
type Blocking = Pick<WatchedCall, "operation" | "request"> & { readonly silentMs: number };

/** Notes such a call, and learns where its operation mostly does so: it is not asked for again. */
export function noteBlocking(
  breaker: CircuitBreaker,
  discovery: Discovery,
  { operation, request, silentMs }: Blocking,
): void {
  if (operation === undefined || silentMs < silentMsMin) return;
  breaker.noteBlocking(operation);
  if (!breaker.isBlocking(operation)) return;
  discovery.learn({
    id: `blocking-${operation}`,
    topic: "blocking",
    text: `while ${operation} is under way the target answers nothing: ${durationText(silentMs)} after ${request}`,
    adapted: "not asked for again",
    deviations: { lacks: [operation] },
    undecides: isOfBusyWorkers,
    seen: [],
  });
}

/**
 * Learns that an operation gives no answer: it timed out so often in a row that it is not asked for again.
 * @param exchange one that had no answer
 */
export function learnSilent(
  breaker: CircuitBreaker,
  discovery: Discovery,
  exchange: Exchange,
): void {
  const { operation } = exchange;
  const silence = breaker.silenceOf(operation);
  if (exchange.failure === undefined || silence === undefined) return;
  discovery.learn({
    id: silentCause(operation),
    topic: "silence",
    text: silence,
    adapted: "not asked for again",
    breaks: [askedUnder[operation]],
    expected: `${operation} to be answered`,
    explains: (_, evidence) => isSilent(evidence, operation),
    undecides: (reason) => reason.startsWith(`${operation}: `) && reason.includes("no answer"),
    seen: [exchange],
  });
}

function isSilent(evidence: Evidence | undefined, operation: OperationName): boolean {
  if (evidence === undefined || evidence.response !== null) return false;
  return operationOf(evidence.request) === operation;
}

/** Learns which operations take much longer than the others. */
export function learnSlow(
  discovery: Discovery,
  answers: ReadonlyMap<OperationName, Exchange>,
): void {
  for (const [operation, exchange] of answers) {
    const others = [...answers].filter(([name]) => name !== operation);
    const usualMs = medianOf(others.map(([, other]) => tookMs(other)));
    const ms = tookMs(exchange);
    if (usualMs === undefined || ms < Math.max(slowMs, slowFactor * usualMs)) continue;
    discovery.learn({
      id: `slow-${operation}`,
      topic: "slow",
      text: `${operation} takes ${durationText(ms)}, where other operations take ${Math.round(usualMs)} ms`,
      adapted: "waited for",
      undecides: isOfLateness,
      seen: [exchange],
    });
  }
}

/** Whether a reason says that a moment was missed: by an answer that came late, for instance. */
export function isOfLateness(reason: string): boolean {
  return /came too late to tell|was answered after \d+ ms|the harness itself was|the run was ended|not IN_PROGRESS|not in progress|no step of any sequence/.test(
    reason,
  );
}

/** Whether a reason says that, or that a job waited for a worker: those that cannot be cancelled keep all of them busy. */
export function isOfBusyWorkers(reason: string): boolean {
  if (isOfLateness(reason)) return true;
  return /still IN_(?:QUEUE|PROGRESS)|still in the queue|kept every worker busy|could not be cancelled may|whether a worker is free/.test(
    reason,
  );
}

export function tookMs({ sentAtMs, answeredAtMs }: Exchange): number {
  return answeredAtMs - sentAtMs;
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
