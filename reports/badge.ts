import { makeBadge } from "badge-maker";
import type { Report } from "./model.ts";
import { profilesText } from "./profiles.ts";
import { overallOf } from "./sentence.ts";

const colours = { failed: "red", passed: "brightgreen", undecided: "yellow" } as const;

/**
 * A badge as SVG: which profiles conform, or how many of the decided requirements passed where none does, and how many
 * were tried and not decided.
 */
export function writeBadge(report: Report): string {
  const { pass, fail, inconclusive } = report.summary.requirements;
  const isDecided = pass + fail > 0;
  const color = isDecided ? colours[overallOf(report)] : "lightgrey";
  const open = inconclusive === 0 ? "" : `, ${inconclusive} undecided`;
  // What conforms, and what is broken beside it, says more than a count of those that were decided.
  const conforms = profilesText(report, ["conformant"]);
  const told =
    conforms === ""
      ? `${pass} of ${pass + fail} passed`
      : profilesText(report, ["conformant", "broken"]);
  const message = isDecided ? `${told}${open}` : "undecided";
  return `${makeBadge({ label: "queueproof", message, color })}\n`;
}
