import { makeBadge } from "badge-maker";
import type { Report, ReportProfile } from "./model.ts";
import { profilesText } from "./profiles.ts";
import { overallOf } from "./sentence.ts";

const colours = { failed: "red", passed: "brightgreen", undecided: "yellow" } as const;

/**
 * Makes an SVG badge. It names the profiles that conform, or where none does, says how many of the decided requirements
 * passed. It also says how many were tried and not decided.
 */
export function writeBadge(report: Report): string {
  const { pass, fail, inconclusive } = report.summary.requirements;
  const isDecided = pass + fail > 0;
  const color = isDecided ? colours[overallOf(report)] : "lightgrey";
  const open = inconclusive === 0 ? "" : `, ${inconclusive} undecided`;
  // Conformant and broken profiles say more than a count of the requirements that were decided.
  const conforms = profilesText(report, ["conformant"], shortName);
  const told =
    conforms === ""
      ? `${pass} of ${pass + fail} passed`
      : profilesText(report, ["conformant", "broken"], shortName);
  const message = isDecided ? `${told}${open}` : "undecided";
  return `${makeBadge({ label: "queueproof", message, color })}\n`;
}

/** A badge has no room for how much of an extended part was seen. */
function shortName({ name, verdict, pass, of }: ReportProfile): string {
  return verdict === "broken" ? `${name} (${pass} of ${of})` : name;
}
