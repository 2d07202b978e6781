import type { Report, ReportCheck } from "../model.ts";
import type { Verdict } from "../verdict.ts";

/** How much of a check the page shows. The rest is in report.json, and the page says so. */
export interface PageLimits {
  readonly nameChars: number;
  readonly valueChars: number;
  readonly bodyChars: number;
  readonly scriptChars: number;
  readonly headers: number;
  readonly mismatches: number;
  readonly steps: number;
  readonly exchanges: number;
}

/** Returns the limits of a check: the first failures share the page's budget, later ones get a line or two. */
export type LimitsOf = (check: ReportCheck) => PageLimits;

/** Most characters of all shown exchanges together, before escaping, so that the page opens fast. */
const roomChars = 220_000;
const shownWholeMax = 60;

/** The limits of a requirement's own line, and of checks without a share of the budget. */
export const briefLimits: PageLimits = {
  nameChars: 160,
  valueChars: 120,
  bodyChars: 0,
  scriptChars: 0,
  headers: 0,
  mismatches: 1,
  steps: 0,
  exchanges: 0,
};

/** Shares the page's budget among the first checks that failed or could not decide; the fewer, the more for each. */
export function limitsFor(report: Report): LimitsOf {
  const failedOrUndecided = report.requirements
    .flatMap(({ checks }) => checks)
    .filter((check) => rank[check.verdict] < rank.pass)
    .toSorted((a, b) => rank[a.verdict] - rank[b.verdict]);
  const shown = new Set(failedOrUndecided.slice(0, shownWholeMax));
  const limits = limitsOfShare(roomChars / Math.max(1, shown.size));
  return (check) => (shown.has(check) ? limits : briefLimits);
}

/** Failures get space first. */
const rank: Readonly<Record<Verdict, number>> = { fail: 0, inconclusive: 1, pass: 2, "not-run": 2 };

function limitsOfShare(share: number): PageLimits {
  const exchanges = between(2, share / 2500, 12);
  const mismatches = between(3, share / 1500, 20);
  return {
    nameChars: briefLimits.nameChars,
    valueChars: between(120, share / (mismatches * 12), 1500),
    bodyChars: between(200, share / (exchanges * 5), 4000),
    scriptChars: between(400, share / 5, 6000),
    headers: between(4, share / (exchanges * 500), 20),
    mismatches,
    steps: between(10, share / 500, 50),
    exchanges,
  };
}

function between(least: number, wanted: number, most: number): number {
  return Math.floor(Math.min(most, Math.max(least, wanted)));
}

/** The limits of a cause's own exchange. */
export const causeLimits: PageLimits = {
  ...briefLimits,
  valueChars: 500,
  bodyChars: 1000,
  headers: 12,
};

export const restNote = "The rest is in report.json.";
