import type { RequirementId } from "../../openapi/requirements.ts";
import { askedUnder } from "../dialects/asked-under.ts";
import { describeMismatch } from "../judge-differences.ts";
import type { RequirementResult } from "../judge.ts";
import { describeAnswer } from "../read.ts";
import type { Discovery, Learning } from "./discovery.ts";

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
  return {
    name: `discovery/${id}`,
    title: reason,
    covers: [requirement],
    durationMs: 0,
    readings: [],
    evidence: discovery.evidenceOf(seen),
    verdict: "inconclusive",
    cause: id,
    reason,
    mismatches: [],
    deviations: [],
  };
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
