import { makeBadge } from "badge-maker";
import type { Report } from "./model.ts";
import { overallOf } from "./sentence.ts";

const colours = { failed: "red", passed: "brightgreen", undecided: "lightgrey" } as const;

/** A badge as SVG: how many of the decided requirements passed; grey where nothing was decided. */
export function writeBadge(report: Report): string {
  const { pass, fail } = report.summary.requirements;
  const overall = overallOf(report);
  const message = overall === "undecided" ? "undecided" : `${pass} of ${pass + fail} passed`;
  return `${makeBadge({ label: "queueproof", message, color: colours[overall] })}\n`;
}
