import type { Report, ReportRequirement } from "../model.ts";

export interface NeedGroup {
  /** The one thing that would decide it. */
  readonly need: string;
  readonly reason: string;
  readonly requirements: readonly ReportRequirement[];
}

/** What was not decided, by what each needs and why, in the order of the catalogue. */
export function undecidedByNeed(report: Report): readonly NeedGroup[] {
  const open = report.requirements.filter(
    ({ verdict }) => verdict === "not-run" || verdict === "inconclusive",
  );
  const groups = new Map<string, ReportRequirement[]>();
  for (const entry of open) {
    const key = JSON.stringify([needOf(entry, report), entry.reason ?? ""]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].flatMap((requirements) => {
    const [first] = requirements;
    if (first === undefined) return [];
    return [{ need: needOf(first, report), reason: first.reason ?? "", requirements }];
  });
}

const anotherLook = "Another look: see what came in its way";
const mayStayOpen = "Nothing: it is allowed to stay undecided";

function needOf(entry: ReportRequirement, report: Report): string {
  if (entry.verdict !== "inconclusive") return needOfUntried(entry, report);
  return entry.allowed === true ? mayStayOpen : anotherLook;
}

/** In order: an interruption explains all, a missing capability cannot be made up for by anything else. */
function needOfUntried(entry: ReportRequirement, { target, interrupted }: Report): string {
  const { reason = "", needs = [] } = entry;
  const missing = needs.filter((need) => !target.capabilities.includes(need));
  if (reason.startsWith("takes "))
    return `Time: --time-budget ${/takes (\S+ \S+)/u.exec(reason)?.[1]?.replace(" ", "") ?? "full"}`;
  if (missing.length > 0) return `A target that offers ${missing.join(" and ")}`;
  if (reason === "not selected") return "To be selected: leave out --only and --skip";
  if (/`queueproof run`/u.test(reason)) return "Another command: queueproof run";
  return interrupted === true ? "A run that is not stopped" : "See the reason";
}
