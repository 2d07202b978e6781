import { makeBadge } from "badge-maker";
import type { Report } from "./model.ts";
import { overallOf } from "./sentence.ts";

const colours = { failed: "red", passed: "brightgreen", undecided: "yellow" } as const;

/** A badge as SVG: how many of the decided requirements passed, and how many were tried and not decided. */
export function writeBadge(report: Report): string {
  const { pass, fail, inconclusive } = report.summary.requirements;
  const isDecided = pass + fail > 0;
  const color = isDecided ? colours[overallOf(report)] : "lightgrey";
  const open = inconclusive === 0 ? "" : `, ${inconclusive} undecided`;
  const message = isDecided ? `${pass} of ${pass + fail} passed${open}` : "undecided";
  return `${makeBadge({ label: "queueproof", message, color })}\n`;
}
