import type { Report, ReportRequirement, Verdict } from "./model.ts";
import { notRunGroups } from "./not-run.ts";
import type { NotRunGroup } from "./not-run.ts";

export function withVerdict(report: Report, verdict: Verdict): readonly ReportRequirement[] {
  return report.requirements.filter((each) => each.verdict === verdict);
}

/** What a report has not tried, by what would let it be tried. */
export function notRunGroupsOf(report: Report): readonly NotRunGroup[] {
  const { controlUrl, embedded } = report.target;
  const hasControl = controlUrl !== undefined || embedded === true;
  return notRunGroups(withVerdict(report, "not-run"), hasControl);
}
