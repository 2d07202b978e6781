import type { RequirementId } from "../../openapi/requirements.ts";
import type { Evidence } from "../../reports/model.ts";
import type { Expectations } from "../../harness/expect.ts";

/** Where the judgement records its differences and attaches their evidence. */
export interface HistoryJudge {
  readonly expect: Expectations;
  readonly attach: (evidence: Evidence) => void;
}

/** A statement about what was observed, and the words to report where it does not hold. */
export interface Claim {
  readonly of: RequirementId;
  readonly holds: boolean;
  readonly at: string;
  readonly expected: string;
  readonly got: string;
  /** The observations that it is about. */
  readonly seenIn: readonly { readonly evidence: () => Evidence }[];
}

/** Records a difference and attaches its evidence unless the claim holds. */
export function judgeClaim(
  { of, holds, seenIn, ...comparison }: Claim,
  { expect, attach }: HistoryJudge,
): void {
  if (expect.of(of).that(holds, comparison)) return;
  for (const { evidence } of seenIn) attach(evidence());
}
