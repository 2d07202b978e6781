import type { RequirementId } from "../../openapi/index.ts";
import type { Evidence } from "../../reports/model.ts";
import type { Expectations } from "../../harness/expect.ts";

/** What the judgement works with: where it records, and where it lays down what proves it. */
export interface HistoryJudge {
  readonly expect: Expectations;
  readonly attach: (evidence: Evidence) => void;
}

/** What is to hold of what was observed, and what is told where it does not. */
export interface Claim {
  readonly of: RequirementId;
  readonly holds: boolean;
  readonly at: string;
  readonly expected: string;
  readonly got: string;
  /** What shows it. */
  readonly seenIn: readonly { readonly evidence: () => Evidence }[];
}

/** Records a difference unless the claim holds, and lays down what shows it. */
export function judgeClaim(
  { of, holds, seenIn, ...told }: Claim,
  { expect, attach }: HistoryJudge,
): void {
  if (expect.of(of).that(holds, told)) return;
  for (const { evidence } of seenIn) attach(evidence());
}
