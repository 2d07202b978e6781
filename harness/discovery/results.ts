import type { RequirementId } from "../../openapi/requirements.ts";
import { askedUnder } from "../dialects/record-operations.ts";
import { describeMismatch, messageCharactersMax } from "../judge-differences.ts";
import { notRunResult } from "../judge.ts";
import type { RequirementResult } from "../judge.ts";
import { describeAnswer } from "../read.ts";
import type { Discovery, Learning } from "./discovery.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { Evidence, Mismatch } from "../../reports/model.ts";
import { brief } from "../show.ts";

/**
 * The failures of what departs, all or some of it: one for each requirement that it breaks by itself, and what it leaves
 * open. What the dialect tolerates is a deviation and no failure.
 */
export function resultsOf(
  discovery: Discovery,
  learned: readonly Learning[] = discovery.learned,
): readonly RequirementResult[] {
  return learned.flatMap((learning) => [
    ...(learning.breaks ?? []).map((requirement) => resultOf(discovery, learning, requirement)),
    ...(learning.leavesOpen ?? []).map((requirement) =>
      openResult(discovery, learning, requirement),
    ),
  ]);
}

function openResult(
  discovery: Discovery,
  { id, text, seen }: Learning,
  requirement: RequirementId,
): RequirementResult {
  const reason = discovery.redactor.redact(text);
  const told = notRunResult({ name: `discovery/${id}`, title: reason }, requirement, reason);
  return { ...told, evidence: discovery.evidenceOf(seen), verdict: "inconclusive", cause: id };
}

function resultOf(
  discovery: Discovery,
  { id, topic, text, expected = "what the specification says", got, seen }: Learning,
  requirement: RequirementId,
): RequirementResult {
  const shown = seen.find(({ operation }) => askedUnder[operation] === requirement) ?? seen[0];
  const came = shown?.answer === undefined ? "no answer" : describeAnswer(shown.answer);
  const told = {
    name: `discovery/${id}`,
    title: discovery.redactor.redact(text),
    covers: [requirement],
    durationMs: 0,
    readings: [],
    evidence: discovery.evidenceOf(
      seen.toSorted((one, other) => Number(other === shown) - Number(one === shown)),
    ),
  };
  const difference = {
    requirement,
    at: shown?.operation ?? topic,
    expected,
    got: discovery.redactor.redact(got ?? came),
  };
  const what = discovery.tolerates?.(difference);
  if (what !== undefined) {
    const deviation = { requirement, what, seen: describeMismatch(difference) };
    return { ...told, verdict: "pass", mismatches: [], deviations: [deviation] };
  }
  const mismatch = { ...difference, ...(shown !== undefined && { exchange: 0 }) };
  return {
    ...told,
    verdict: "fail",
    cause: id,
    reason: describeMismatch(mismatch),
    mismatches: [mismatch],
    deviations: [],
  };
}

/**
 * A result that passed by refusals which the target also gives where nothing is wrong, or was not decided for one: it is
 * not-run under the cause of that. A refusal counts only where the same request without the fault is accepted.
 */
export function withControl(
  result: RequirementResult,
  exchanges: readonly Exchange[],
  discovery: Discovery,
): RequirementResult {
  if (result.verdict === "fail") return result;
  const usual = discovery.learned.find(
    ({ isUsualAnswer }) => isUsualAnswer !== undefined && exchanges.some(isUsualAnswer),
  );
  return usual === undefined ? result : notRunUnder(result, usual, discovery);
}

/** What decides under which causes the results of a check are told. */
interface CausesOfCheck {
  /** What the check needs; where one of that is absent, the check proves nothing. */
  readonly needs: readonly Capability[];
  /** Whether it is not tried again. */
  readonly isLast: boolean;
}

/** The results of one check: what was not reached because of a difference that is excused is under its cause, too. */
export function resultsUnderCauses(
  results: readonly RequirementResult[],
  discovery: Discovery,
  { needs, isLast }: CausesOfCheck,
): readonly RequirementResult[] {
  const absent = discovery.learned.find(
    ({ takesAway }) => takesAway !== undefined && needs.includes(takesAway),
  );
  if (absent !== undefined) return results.map((each) => notRunUnder(each, absent, discovery));
  const told = results.map((result) => underCauses(result, discovery, isLast));
  return told.map((result) => afterExcuse(result, told));
}

function afterExcuse(
  result: RequirementResult,
  told: readonly RequirementResult[],
): RequirementResult {
  const [, before] = /^not reached: (\S+) failed before$/.exec(result.reason ?? "") ?? [];
  const first = told.find(({ covers }) => covers.some((id) => id === before));
  if (result.verdict !== "inconclusive" || first?.verdict !== "not-run") return result;
  const { reason = "", cause } = first;
  return { ...result, verdict: "not-run", reason, ...(cause !== undefined && { cause }) };
}

/**
 * A result in the light of what was learned of the target: a failure that a cause explains is told under it; one that
 * proves nothing because of it, or what could not be decided for it, is not-run under it.
 */
function underCauses(
  result: RequirementResult,
  discovery: Discovery,
  isLast: boolean,
): RequirementResult {
  if (result.cause !== undefined) return result;
  const { verdict } = result;
  if (verdict !== "fail" && verdict !== "inconclusive") return result;
  const { learned } = discovery;
  const cause = learned.find((learning) => explains(learning, result));
  if (cause !== undefined) {
    // What stays in doubt beside others need not be tried alone: the difference is known.
    return verdict === "fail"
      ? { ...result, cause: cause.id }
      : notRunUnder(result, cause, discovery);
  }
  const excuse = learned.find(
    (learning) => excuses(learning, result) || (isLast && undecides(learning, result)),
  );
  return excuse === undefined
    ? beyondCauses(result, discovery)
    : notRunUnder(result, excuse, discovery);
}

/**
 * A failure of which causes explain or excuse a part: what they do not comes first, because it is what is new. Where they
 * explain or excuse all of it, but none does so alone, it is told under the first that explains some of it.
 */
function beyondCauses(result: RequirementResult, discovery: Discovery): RequirementResult {
  const { mismatches, verdict } = result;
  if (verdict !== "fail") return result;
  const explained = mismatches.map((each) => causeOf(each, "explains", result, discovery));
  const excused = mismatches.map((each) => causeOf(each, "excuses", result, discovery));
  const isKnown = (at: number): boolean => (explained[at] ?? excused[at]) !== undefined;
  const beyond = mismatches.filter((_, at) => !isKnown(at));
  if (beyond.length === mismatches.length) return result;
  if (beyond.length > 0) {
    const ordered = [...beyond, ...mismatches.filter((_, at) => isKnown(at))];
    const reason = brief(ordered.map(describeMismatch).join("; "), messageCharactersMax);
    return { ...result, mismatches: ordered, reason };
  }
  const cause = explained.find((each) => each !== undefined);
  if (cause !== undefined) return { ...result, cause: cause.id };
  const excuse = excused.find((each) => each !== undefined);
  return excuse === undefined ? result : notRunUnder(result, excuse, discovery);
}

/** The first cause that explains, or excuses, a difference. */
function causeOf(
  mismatch: Mismatch,
  how: "explains" | "excuses",
  result: RequirementResult,
  { learned }: Discovery,
): Learning | undefined {
  const shown = shownBy(mismatch, result);
  return learned.find((learning) => learning[how]?.(mismatch, shown) === true);
}

/** The exchange that shows a difference. */
function shownBy({ exchange }: Mismatch, { evidence }: RequirementResult): Evidence | undefined {
  return exchange === undefined ? undefined : evidence[exchange];
}

function explains({ explains: isExplained }: Learning, result: RequirementResult): boolean {
  if (isExplained === undefined) return false;
  return result.mismatches.length > 0 && areAll(result, isExplained);
}

function excuses(
  { excuses: isExcused, excusesReason }: Learning,
  result: RequirementResult,
): boolean {
  const { mismatches, reason = "" } = result;
  if (mismatches.length > 0) return isExcused !== undefined && areAll(result, isExcused);
  return result.verdict === "inconclusive" && excusesReason?.(reason) === true;
}

function undecides({ undecides: isUndecided }: Learning, result: RequirementResult): boolean {
  return result.verdict === "inconclusive" && isUndecided?.(result.reason ?? "") === true;
}

function areAll(result: RequirementResult, is: NonNullable<Learning["explains"]>): boolean {
  return result.mismatches.every((mismatch) => is(mismatch, shownBy(mismatch, result)));
}

/**
 * The results of all checks in the light of one another: what could not be decided because of something that another
 * requirement is about is not-run where that is broken.
 */
export function resultsUnderBroken(
  results: readonly RequirementResult[],
): readonly RequirementResult[] {
  const broken = results.filter(({ verdict }) => verdict === "fail");
  return results.map(({ judgedBy = [], ...result }) => {
    if (result.verdict !== "inconclusive") return result;
    const [by] = judgedBy.flatMap((id) => broken.find(({ covers }) => covers.includes(id)) ?? []);
    if (by === undefined) return result;
    const [id] = by.covers;
    return notRunFor(result, `not decided, because ${String(id)} is broken`, by.cause);
  });
}

function notRunUnder(
  result: RequirementResult,
  { id, text }: Learning,
  { redactor }: Discovery,
): RequirementResult {
  return notRunFor(result, `not decided, because ${redactor.redact(text)}`, id);
}

function notRunFor(
  { name, title, covers, durationMs }: RequirementResult,
  reason: string,
  cause: string | undefined,
): RequirementResult {
  const nothing = { readings: [], mismatches: [], deviations: [], evidence: [] };
  const told = { name, title, covers, verdict: "not-run", reason, durationMs } as const;
  return { ...told, ...(cause !== undefined && { cause }), ...nothing };
}
