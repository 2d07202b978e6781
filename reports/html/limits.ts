import type { Report } from "../model.ts";

/** How much of each failure a page shows. The rest is in report.json, and the page says so. */
export interface Limits {
  readonly nameChars: number;
  readonly valueChars: number;
  readonly bodyChars: number;
  readonly scriptChars: number;
  readonly mismatches: number;
  readonly exchanges: number;
}

/** What all exchanges of a page may take together, so that it opens at once from a file. */
const evidenceCharsMax = 600_000;

/** Shares the page's room among the checks that have exchanges to show: few failures are shown whole. */
export function limitsOf(report: Report): Limits {
  const shown = report.requirements
    .flatMap(({ checks }) => checks)
    .filter(({ verdict, evidence }) => verdict !== "pass" && evidence.length > 0).length;
  const share = evidenceCharsMax / Math.max(1, shown);
  return {
    nameChars: 200,
    valueChars: between(200, share / 8, 2000),
    bodyChars: between(200, share / 6, 4000),
    scriptChars: between(400, share / 4, 8000),
    mismatches: between(3, share / 800, 20),
    exchanges: between(1, share / 1500, 12),
  };
}

function between(least: number, wanted: number, most: number): number {
  return Math.floor(Math.min(most, Math.max(least, wanted)));
}

export const restNote = "The rest is in report.json.";
