import type { Exchange } from "../../client/index.ts";
import type { Fact, Mismatch } from "../../reports/model.ts";
import type { RequirementResult } from "../judge.ts";
import type { Discovery } from "./discovery.ts";

/**
 * A result that passed by refusals which the target also gives where nothing is wrong: it is not-run under the cause of
 * that. A refusal counts only where the same request without the fault is accepted.
 */
export function withControl(
  result: RequirementResult,
  exchanges: readonly Exchange[],
  discovery: Discovery,
): RequirementResult {
  if (result.verdict !== "pass") return result;
  const usual = discovery.learned.find(
    ({ isUsualAnswer }) => isUsualAnswer !== undefined && exchanges.some(isUsualAnswer),
  );
  return usual === undefined ? result : notRunUnder(result, usual);
}

/** The results of one check: what was not reached because of a difference that is excused is under its cause, too. */
export function resultsUnderCauses(
  results: readonly RequirementResult[],
  discovery: Discovery,
): readonly RequirementResult[] {
  const told = results.map((result) => underCauses(result, discovery));
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
function underCauses(result: RequirementResult, discovery: Discovery): RequirementResult {
  if (result.cause !== undefined) return result;
  const { verdict } = result;
  if (verdict !== "fail" && verdict !== "inconclusive") return result;
  const { facts } = discovery;
  const cause = facts.find((fact) => explains(fact, result));
  if (cause !== undefined) return { ...result, cause: cause.id };
  const excuse = facts.find((fact) => excuses(fact, result));
  return excuse === undefined ? result : notRunUnder(result, excuse);
}

function explains({ explains: isExplained }: Fact, result: RequirementResult): boolean {
  if (isExplained === undefined || result.verdict !== "fail") return false;
  return result.mismatches.length > 0 && areAll(result, isExplained);
}

function excuses({ excuses: isExcused, excusesReason }: Fact, result: RequirementResult): boolean {
  const { mismatches, reason = "" } = result;
  if (mismatches.length > 0) return isExcused !== undefined && areAll(result, isExcused);
  return result.verdict === "inconclusive" && excusesReason?.(reason) === true;
}

function areAll(
  { mismatches, evidence }: RequirementResult,
  is: NonNullable<Fact["explains"]>,
): boolean {
  const isSo = (mismatch: Mismatch): boolean =>
    is(mismatch, mismatch.exchange === undefined ? undefined : evidence[mismatch.exchange]);
  return mismatches.every((mismatch) => isSo(mismatch));
}

function notRunUnder(
  { name, title, covers, durationMs }: RequirementResult,
  { id, text }: Pick<Fact, "id" | "text">,
): RequirementResult {
  const nothing = { readings: [], mismatches: [], deviations: [], evidence: [] };
  const reason = `not decided, because ${text}`;
  return { name, title, covers, verdict: "not-run", reason, cause: id, durationMs, ...nothing };
}
