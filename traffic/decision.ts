import type { Redactor } from "../client/redactor.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { CheckResult } from "../reports/model.ts";
import { evidenceOfRecorded } from "./recording/evidence-of-recorded.ts";
import type { RecordedExchange } from "./recording/recorded-exchange.ts";

/** What a run of somebody's program shows of one requirement. */
export type Decision =
  | { readonly kind: "holds" }
  | { readonly kind: "reads"; readonly reading: string }
  | { readonly kind: "unseen"; readonly reason: string }
  | Breach;

/** What a breach is told by. */
export interface BreachWords {
  /** What it is about: "output", "POST /v2/e/run, request 3". */
  readonly at: string;
  readonly expected: string;
  readonly got: string;
}

export interface Breach extends BreachWords {
  readonly kind: "breaks";
  readonly exchange?: RecordedExchange | undefined;
}

export const holds: Decision = { kind: "holds" };

export function unseen(reason: string): Decision {
  return { kind: "unseen", reason };
}

export function reads(reading: string): Decision {
  return { kind: "reads", reading };
}

export function breach(
  at: string,
  expected: string,
  got: string,
  exchange?: RecordedExchange,
): Breach {
  return { kind: "breaks", at, expected, got, exchange };
}

/** Where a decision was made: the check's name and title, and what passed meanwhile. */
export interface DecidedRun {
  readonly name: string;
  readonly title: string;
  readonly exchanges: readonly RecordedExchange[];
  readonly startedAtMs: number;
  readonly durationMs: number;
}

/** How many exchanges are shown beside the one that a breach is about. */
const exchangesShown = 6;

/** A decision as the result of a check, with its evidence, redacted. */
export function resultOfDecision(
  id: RequirementId,
  decision: Decision,
  { name, title, exchanges, startedAtMs, durationMs }: DecidedRun,
  redactor: Redactor,
): CheckResult {
  const base = { name, title, covers: [id], durationMs: Math.round(durationMs), evidence: [] };
  if (decision.kind === "holds") return { ...base, verdict: "pass" };
  if (decision.kind === "unseen") return { ...base, verdict: "not-run", reason: decision.reason };
  if (decision.kind === "reads") {
    const readings = [{ requirement: id, reading: decision.reading }];
    return { ...base, verdict: "pass", readings };
  }
  const { at, expected, got, exchange } = decision;
  const shown = shownExchanges(exchanges, exchange);
  const evidence = shown.map((each) => evidenceOfRecorded(each, redactor, startedAtMs));
  const place = exchange === undefined ? -1 : shown.indexOf(exchange);
  const words = redactedWords({ at, expected, got }, redactor);
  const mismatch = { requirement: id, ...words, ...(place >= 0 && { exchange: place }) };
  return { ...base, verdict: "fail", mismatches: [mismatch], evidence };
}

/** What a breach is told by, without secrets. */
export function redactedWords({ at, expected, got }: BreachWords, redactor: Redactor): BreachWords {
  return {
    at: redactor.redact(at),
    expected: redactor.redact(expected),
    got: redactor.redact(got),
  };
}

function shownExchanges(
  exchanges: readonly RecordedExchange[],
  about: RecordedExchange | undefined,
): readonly RecordedExchange[] {
  const end = about === undefined ? exchanges.length : exchanges.indexOf(about) + 1;
  return exchanges.slice(Math.max(0, end - exchangesShown), end);
}
