/** The verdicts of checks and requirements (docs/read-a-report.md#verdicts), in the order of reports. */
export const verdicts = ["pass", "fail", "inconclusive", "not-run"] as const;
export type Verdict = (typeof verdicts)[number];
