import type { Evidence, Mismatch, ReportCheck } from "./model.ts";

/** Returns the exchange that shows a mismatch; undefined where the check did not say which one does. */
export function failingEvidence(
  evidence: readonly Evidence[],
  { exchange }: Pick<Mismatch<string>, "exchange">,
): Evidence | undefined {
  return exchange === undefined ? undefined : evidence[exchange];
}

type ShownCheck = Pick<ReportCheck, "mismatches" | "evidence">;

/** Returns the exchange that shows a check's first mismatch. */
export function firstFailing({ mismatches = [], evidence }: ShownCheck): Evidence | undefined {
  const [first] = mismatches;
  return first === undefined ? undefined : failingEvidence(evidence, first);
}

/** Returns the command that by itself repeats a check's first mismatch; undefined where there is none. */
export function failingCurl(check: ShownCheck): string | undefined {
  const curl = firstFailing(check)?.curl;
  return curl === "" ? undefined : curl;
}
