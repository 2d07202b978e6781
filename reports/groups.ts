import type { Report, ReportRequirement } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { notRunGroups } from "./not-run.ts";
import type { NotRunGroup } from "./not-run.ts";

export function withVerdict(report: Report, verdict: Verdict): readonly ReportRequirement[] {
  return report.requirements.filter((each) => each.verdict === verdict);
}

/** Groups what a report has not tried by the step that would let it be tried. */
export function notRunGroupsOf(report: Report): readonly NotRunGroup[] {
  const { controlUrl, embedded } = report.target;
  const hasControl = controlUrl !== undefined || embedded === true;
  return notRunGroups(withVerdict(report, "not-run"), hasControl);
}
