import type { Report, ReportRequirement, ReportCheck } from "./model.ts";
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

/** Lists the earlier attempts of a check, and the requests that had to be sent again, one line each. */
export function attemptLines({
  attempts = [],
  dropped = [],
}: Pick<ReportCheck, "attempts" | "dropped">): readonly string[] {
  return [
    ...attempts.map(({ verdict, reason }, at) => `try ${at + 1} was ${verdict}: ${reason}`),
    ...dropped.map(({ request, error, times }) => {
      const often = times === 1 ? "once" : `${times} times`;
      return `${request} got no answer ${often}, and one when it was sent again: ${error}`;
    }),
  ];
}

/** Orders texts by code unit, so that the order does not depend on the machine's language. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
