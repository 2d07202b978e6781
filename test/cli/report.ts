import { requirementIds } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { createReport } from "../../reports/create-report.ts";
import type { CheckResult, Report } from "../../reports/model.ts";
import type { ReportInput } from "../../reports/create-report.ts";
import type { Verdict } from "../../reports/verdict.ts";

/** Makes a report in which each named requirement has the given verdict, from one check. */
export function reportOf(
  verdicts: Readonly<Partial<Record<RequirementId, Verdict>>>,
  more: readonly CheckResult[] = [],
  rest: Partial<ReportInput> = {},
): Report {
  const results = requirementIds.flatMap((id) => {
    const verdict = verdicts[id];
    return verdict === undefined ? [] : [resultOf(id, verdict)];
  });
  return createReport({
    toolVersion: "0.0.0",
    command: "contract",
    seed: 7,
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1_234,
    target: { baseUrl: "http://a.test", endpointId: "e", capabilities: [] },
    results: [...results, ...more],
    ...rest,
  });
}

function resultOf(id: RequirementId, verdict: Verdict): CheckResult {
  return {
    name: `checks/${id}`,
    covers: [id],
    verdict,
    durationMs: 5,
    reason: `${verdict} for a reason`,
    evidence: [],
  };
}
