import type { RequirementId } from "../../openapi/requirements.ts";
import { describeMismatch } from "../judge-differences.ts";
import type { RequirementResult } from "../judge.ts";
import { describeAnswer } from "../read.ts";
import type { Discovery, Learning } from "./discovery.ts";

/** The failures of what departs, all or some of it: one for each requirement that it breaks by itself. */
export function resultsOf(
  discovery: Discovery,
  learned: readonly Learning[] = discovery.learned,
): readonly RequirementResult[] {
  return learned.flatMap((learning) =>
    (learning.breaks ?? []).map((requirement) => resultOf(discovery, learning, requirement)),
  );
}

function resultOf(
  discovery: Discovery,
  { id, topic, text, expected = "what the specification says", got, seen }: Learning,
  requirement: RequirementId,
): RequirementResult {
  const [shown] = seen;
  const came = shown?.answer === undefined ? "no answer" : describeAnswer(shown.answer);
  const mismatch = {
    requirement,
    at: shown?.operation ?? topic,
    expected,
    got: discovery.redactor.redact(got ?? came),
    ...(shown !== undefined && { exchange: 0 }),
  };
  return {
    name: `discovery/${id}`,
    title: discovery.redactor.redact(text),
    covers: [requirement],
    verdict: "fail",
    cause: id,
    durationMs: 0,
    reason: describeMismatch(mismatch),
    readings: [],
    mismatches: [mismatch],
    deviations: [],
    evidence: discovery.evidenceOf(seen),
  };
}
