import type { Evidence, Mismatch, ReportCheck } from "./model.ts";
import { operations } from "../openapi/operations.ts";
import type { OperationName } from "../openapi/operations.ts";

const names = operations.map(({ name }) => name);

/** The operation that a request was for, by the last or last but one segment of its path; undefined for another path. */
export function operationOf({ url }: { readonly url: string }): OperationName | undefined {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/, "").replace(/[?#].*$/, "");
  const segments = path.split("/").filter((segment) => segment !== "");
  const found = segments.slice(-2).toReversed();
  return found.flatMap((segment) => names.find((name) => name === segment) ?? [])[0];
}

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
