import { Inconclusive } from "../../harness/outcome.ts";
import { askedUnder } from "../../harness/dialects/record-operations.ts";
import type { LimiterFit, LimiterIdentification } from "../../reports/model.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import type { Identification, Remaining } from "../limiters/identify.ts";
import { kindNamed } from "../limiters/kinds.ts";
import type { Exhaustion } from "./exhaustion.ts";
import type { LoadFindings } from "./findings.ts";
import { requireAnswers } from "./answers.ts";
import { limitFields } from "./limit-fields.ts";
import { windowMs } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { isAccepted, isLetThrough, isRefused, joined } from "./tally.ts";

/** Judges whether the limit is the stated one, by the limiters that explain what was seen. */
export function judgeLimit(tier: Tier, seen: Exhaustion, findings: LoadFindings): void {
  const { operation, limit } = tier;
  const { trace, identification } = seen;
  findings.samples.push(trace.samples);
  if (identification.best.kind !== "none")
    findings.limiter = limiterForReport(operation, identification);
  noteFigures(seen, findings);
  requireAnswers(...trace.tallies);
  judgeStrange(tier, seen, findings);
  const doubt = judgeFaults(tier, seen, findings);
  for (const { words, tally } of seen.otherForms) {
    const got = tally.accepted > 0 ? "accepted" : "not accepted";
    findings.equal(`${operation} beyond its limit, ${words}`, "not accepted", got, tally.samples);
  }
  const { remaining } = identification;
  if (doubt !== undefined && !remaining.some((one) => mayHold(one, limit))) {
    throw new Inconclusive(doubt);
  }
  judgeNumber(tier, seen, findings);
}

/** Judges how many requests are let through, by what explains the trace. */
function judgeNumber(tier: Tier, seen: Exhaustion, findings: LoadFindings): void {
  const { operation, limit } = tier;
  const { trace, identification } = seen;
  const { remaining } = identification;
  const at = `${operation}, requests in one window before the next answers 429`;
  const { samples, exchanges } = joined(seen.burst);
  const accepted = exchanges.filter(isLetThrough).length;
  // At one moment no kind that conforms lets more than the limit through, whatever else explains the trace.
  if (trace.isVirtual && accepted > limit && remaining.some((one) => mayHold(one, limit))) {
    const got = wordsOf(identification, `${accepted} at one moment`);
    findings.equal(at, String(limit), got, samples);
    return;
  }
  if (remaining.length === 0) return judgeUnexplained(tier, seen, findings);
  const least = Math.min(...remaining.map(({ limits }) => limits.least));
  const most = Math.max(...remaining.map(({ limits }) => limits.most));
  const got = least === most ? String(least) : `${least} to ${most}`;
  if (least <= limit && limit <= most && least < most) {
    throw new Inconclusive(`the limit is one of ${got}: ${whyUnsure(seen)}`);
  }
  findings.equal(at, String(limit), wordsOf(identification, got), samples);
}

/** Judges an answer that is neither accepted nor refused. */
function judgeStrange(
  { operation, limit }: Tier,
  { trace, burst }: Exhaustion,
  findings: LoadFindings,
): void {
  const accepted = trace.exchanges.filter(isAccepted).length;
  if (accepted === 0) {
    const words = burst[0]?.words ?? "not at all";
    throw new Inconclusive(
      `none of its requests was accepted: the first burst was answered ${words}`,
    );
  }
  const isBeyond = refusesOtherwise(limit, trace.exchanges);
  const isStrange = (exchange: ProbeExchange): boolean =>
    !isRefused(exchange) && !(isBeyond ? isAccepted(exchange) : isLetThrough(exchange));
  const strange = trace.exchanges.find(isStrange);
  if (strange === undefined) return;
  const got = String(strange.answer?.status);
  const which = isBeyond ? "a request beyond the limit" : "a request of the trace";
  const expected = isBeyond ? "429" : "2xx or 429";
  findings.equal(`${operation}, ${which}`, expected, got, joined(burst).samples);
}

/** Whether a target lets the limit through and then refuses, but never by 429. */
function refusesOtherwise(limit: number, exchanges: readonly ProbeExchange[]): boolean {
  return exchanges.filter(isAccepted).length >= limit && !exchanges.some(isRefused);
}

/**
 * Judges answers that break the operation's own contract, under its own requirement.
 * @returns why the limit is uncertain then; undefined where there are none
 */
function judgeFaults(
  { operation, limit }: Tier,
  { trace }: Exhaustion,
  findings: LoadFindings,
): string | undefined {
  const { exchanges } = trace;
  const faulty = exchanges.filter((exchange) => !isAccepted(exchange) && isLetThrough(exchange));
  const [first] = faulty;
  if (first === undefined || refusesOtherwise(limit, exchanges)) return undefined;
  const got = `${faulty.length} of ${exchanges.length} answered ${String(first.answer?.status)}`;
  const { samples } = joined(trace.tallies);
  const shown = samples.filter(({ exchange }) => faulty.includes(exchange)).slice(0, 1);
  const at = `${operation}, requests in bursts`;
  findings.of(askedUnder[operation]).equal(at, "only 2xx and 429", got, shown);
  return `${operation}: ${got}, so that its limit cannot be told`;
}

function mayHold({ limits: { least, most } }: Remaining, limit: number): boolean {
  return least <= limit && limit <= most;
}

function wordsOf({ best }: Identification, got: string): string {
  const remark = kindNamed(best.kind).remark?.(best);
  return remark === undefined ? got : `${got}, ${remark}`;
}

/** Why a trace does not tell more. */
export function whyUnsure({ trace, identification }: Exhaustion): string {
  const kinds = identification.remaining.map(({ kind }) => kind).join(", ");
  if (trace.isVirtual) return `these kinds explain every answer: ${kinds}`;
  const { error, latency } = trace;
  return (
    `requests were up to ${inMs(error.maxMs)} late and answered within ${inMs(latency.p50Ms)} ` +
    `(median) to ${inMs(latency.maxMs)}; these kinds explain every answer: ${kinds}`
  );
}

function inMs(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

/**
 * Judges by what holds for every kind of window: after silence no request is refused before the limit, and no
 * more than two limits get through within one window, or one limit at one moment.
 */
function judgeUnexplained(
  { operation, limit }: Tier,
  seen: Exhaustion,
  findings: LoadFindings,
): void {
  const { trace, burst, burstMs, identification } = seen;
  const { accepted, samples, exchanges } = joined(burst);
  const wasRefused = accepted < exchanges.length;
  const most = trace.isVirtual ? limit : 2 * limit;
  if (accepted > most && burstMs < windowMs / 2) {
    const at = `${operation}, requests at once before the next answers 429`;
    const got = wasRefused ? String(accepted) : `all of ${accepted}`;
    return findings.equal(at, String(limit), got, samples);
  }
  const before = acceptedBeforeRefusal(seen);
  if (before < limit) {
    const at = `${operation}, requests accepted after silence before the first 429`;
    return findings.equal(at, String(limit), `${before} at most`, samples);
  }
  if (!wasRefused) throw new Inconclusive(`${accepted} requests were too slow for one window`);
  const { kind, differences } = identification.best;
  const nearest = `nearest is ${kind} with ${differences} differences`;
  throw new Inconclusive(`no model of a limiter explains the trace: ${nearest}`);
}

/** How many may have been accepted before the first refusal, at most. */
export function acceptedBeforeRefusal({ trace }: Exhaustion): number {
  const all = trace.requests;
  const refusals = all.filter(({ isAdmitted }) => !isAdmitted);
  const firstMs = Math.min(...refusals.map(({ answeredMs }) => answeredMs));
  return all.filter(({ isAdmitted, sentMs }) => isAdmitted && sentMs <= firstMs).length;
}

function noteFigures(seen: Exhaustion, { figures, warnings }: LoadFindings): void {
  const { trace, burst, burstMs, identification } = seen;
  const { best, others, remaining, window } = identification;
  figures["kind"] = best.kind;
  if (Number.isFinite(best.limit)) {
    figures["limit"] = best.limit;
    figures["window ms"] = Math.round(best.windowMs);
    figures["differences"] = best.differences;
  }
  const [runnerUp] = others;
  if (runnerUp !== undefined) {
    figures["runner-up"] = runnerUp.kind;
    figures["differences of the runner-up"] = runnerUp.differences;
  }
  if (remaining.length > 1) {
    figures["kinds that explain everything"] = remaining.map(({ kind }) => kind).join(", ");
  }
  if (window !== undefined) {
    figures["window at least ms"] = Math.round(window.shortestMs);
    figures["window at most ms"] = Math.round(window.longestMs);
  }
  figures["accepted in the burst"] = joined(burst).accepted;
  figures["requests of the trace"] = trace.exchanges.length;
  for (const { name, text, isWrong } of limitFields(seen)) {
    figures[name] = text;
    if (isWrong) warnings.push(`${trace.tier.operation}: ${name} ${text}`);
  }
  if (trace.isVirtual) return;
  figures["burst ms"] = Math.round(burstMs);
  noteError(figures, "sent late", trace.error);
  noteError(figures, "answered after", trace.latency);
}

function noteError(
  figures: LoadFindings["figures"],
  what: string,
  { p50Ms, p99Ms, maxMs }: { p50Ms: number; p99Ms: number; maxMs: number },
): void {
  figures[`${what}, p50 ms`] = Number(p50Ms.toFixed(2));
  figures[`${what}, p99 ms`] = Number(p99Ms.toFixed(2));
  figures[`${what}, max ms`] = Number(maxMs.toFixed(2));
}

/** The limiter of an operation as a report has it. */
export function limiterForReport(
  operation: string,
  { best, others, window }: Identification,
): LimiterIdentification {
  const fits = others.filter(({ limit }) => Number.isFinite(limit));
  const common = { operation, best: fitOf(best), others: fits.map((one) => fitOf(one)) };
  return window === undefined ? common : { ...common, window };
}

function fitOf({ kind, limit, windowMs: lengthMs, differences }: LimiterFit): LimiterFit {
  return { kind, limit, windowMs: lengthMs, differences };
}
