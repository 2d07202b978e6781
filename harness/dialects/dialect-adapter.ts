import type { MetDeviation, Exchange, Translation } from "../../client/index.ts";
import type { RequirementId } from "../../openapi/index.ts";

/** What a check saw where it expected something else. */
export interface Difference {
  readonly requirement: RequirementId;
  readonly at: string;
  readonly got: string;
}

/** Translates between the specification's terms and a target's, and knows what its dialect demands or allows. */
export interface DialectAdapter extends Translation {
  readonly name: string;
  /** The reading of an open requirement that the dialect demands, where it demands one. */
  readonly pinned: (requirement: RequirementId) => string | undefined;
  /** What the target is known to do instead, where the dialect allows a difference. */
  readonly tolerates: (difference: Difference) => string | undefined;
  /** The same for a status that is none of the expected ones. */
  readonly toleratesStatus: (exchange: Exchange, expected: readonly number[]) => string | undefined;
  /** Why the target cannot fulfil a requirement at all, where that is known. */
  readonly lacking: (requirement: RequirementId) => string | undefined;
  /** The same for what one check presupposes. */
  readonly lackingFor: (checkName: string) => string | undefined;
  /** The body of a webhook's call in the specification's terms, and what had to be changed for that. */
  readonly webhookBody: (text: string) => {
    readonly text: string;
    readonly deviation?: MetDeviation;
  };
}
