import type { CheckSummary } from "../harness/run-events.ts";
import { requirementIds, requirements } from "../openapi/requirements.ts";
import type { Requirement } from "../openapi/requirements.ts";

/** What list and explain show of a check. */
type ListedCheck = Pick<CheckSummary, "name" | "title" | "covers" | "needs">;

/** A requirement with the checks that decide it: an entry of `list --json`. */
export interface ListedRequirement extends Requirement {
  readonly checks: readonly Pick<ListedCheck, "name" | "title" | "needs">[];
}

/** Lists every requirement of the catalogue, in order, with its checks. */
export function listedRequirements(checks: readonly ListedCheck[]): readonly ListedRequirement[] {
  return requirementIds.map((id) => listedRequirement(requirements[id], checks));
}

function listedRequirement(
  requirement: Requirement,
  checks: readonly ListedCheck[],
): ListedRequirement {
  const covering = checks.filter(({ covers }) => covers.includes(requirement.id));
  return {
    ...requirement,
    checks: covering.map(({ name, title, needs }) => ({ name, title, needs })),
  };
}

/** Loads the checks. They import the whole suite, so only the commands that need them call this. */
export async function importChecks(): Promise<readonly ListedCheck[]> {
  const { checkSummaries } = await import("../contracts/run-contract.ts");
  const { loadCheckSummaries } = await import("../load/check-summaries.ts");
  return [...checkSummaries, ...loadCheckSummaries];
}
