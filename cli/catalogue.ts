import type { CheckSummary } from "../harness/run-events.ts";
import type { Judged } from "../openapi/profiles.ts";
import { idsThatJudge, requirements } from "../openapi/requirements.ts";
import type { Requirement } from "../openapi/requirements.ts";

/** What list and explain show of a check. */
type ListedCheck = Pick<CheckSummary, "name" | "title" | "covers" | "needs">;

/** A requirement with the checks that decide it: an entry of `list --json`. */
export interface ListedRequirement extends Requirement {
  readonly checks: readonly Pick<ListedCheck, "name" | "title" | "needs">[];
}

/** Lists every requirement of a catalogue, in order, with its checks. */
export function listedRequirements(
  checks: readonly ListedCheck[],
  judged: Judged = "server",
): readonly ListedRequirement[] {
  return idsThatJudge(judged).map((id) => listedRequirement(requirements[id], checks));
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

/** Loads what decides the entries of a catalogue. It is much, so only the commands that need it call this. */
export async function importChecks(judged: Judged = "server"): Promise<readonly ListedCheck[]> {
  if (judged === "client") {
    return (await import("../traffic/clients/client-checks.ts")).clientChecks;
  }
  if (judged === "worker") return (await import("../traffic/workers/worker-plan.ts")).workerChecks;
  const { checkSummaries } = await import("../contracts/run-contract.ts");
  const { loadCheckSummaries } = await import("../load/check-summaries.ts");
  return [...checkSummaries, ...loadCheckSummaries];
}
