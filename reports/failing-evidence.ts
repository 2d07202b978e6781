import type { Evidence, Mismatch, ReportCheck } from "./model.ts";

/** The exchange that shows a difference, where the check told which one does. */
export function failingEvidence(
  evidence: readonly Evidence[],
  { exchange }: Pick<Mismatch<string>, "exchange">,
): Evidence | undefined {
  return exchange === undefined ? undefined : evidence[exchange];
}

type ShownCheck = Pick<ReportCheck, "mismatches" | "evidence">;

/** The exchange that shows a check's first difference. */
export function firstFailing({ mismatches = [], evidence }: ShownCheck): Evidence | undefined {
  const [first] = mismatches;
  return first === undefined ? undefined : failingEvidence(evidence, first);
}

/** The command that repeats a check's first difference by itself, where there is one. */
export function failingCurl(check: ShownCheck): string | undefined {
  const curl = firstFailing(check)?.curl;
  return curl === "" ? undefined : curl;
}
