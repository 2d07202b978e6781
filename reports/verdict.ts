/** What became of a check or a requirement (docs/read-a-report.md#verdicts), in the order reports count them. */
export const verdicts = ["pass", "fail", "inconclusive", "not-run"] as const;
export type Verdict = (typeof verdicts)[number];
