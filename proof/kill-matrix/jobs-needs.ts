import { checks as allChecks } from "../../contracts/checks.ts";
import { needsOf, realTimeOf, slowMsOf } from "../../harness/check.ts";
import type { Check } from "../../harness/check.ts";
import { jobKinds } from "../../openapi/capabilities.ts";
import type { Capability, JobKind } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { defaultBudgetMs } from "../../harness/time-budget.ts";

/** What a plain server offers when its owner has named jobs of these kinds. */
function offeredWith(kinds: readonly JobKind[]): ReadonlySet<Capability> {
  return new Set([...kinds, "webhook", "foreignKey"]);
}

/** The same with jobs of every kind. */
const offered = offeredWith(jobKinds);

/** How long the slow job works with which the figures are measured. */
export const slowJobMs = 16_000;

/** Whether a check can be run on a plain server with its owner's jobs, in the default time budget. */
export function runsWithJobs(check: Check, kinds: readonly JobKind[] = jobKinds): boolean {
  return (slowMsOf(check) ?? 0) <= slowJobMs && runsOnPlainServer(check, offeredWith(kinds));
}

/** The same for a server whose workers run the conformance handler. */
export function runsWithHandler(check: Check): boolean {
  return runsOnPlainServer(check, new Set([...offered, "handler"]));
}

function runsOnPlainServer(check: Check, has: ReadonlySet<Capability>): boolean {
  return realTimeOf(check) <= defaultBudgetMs && needsOf(check).every((need) => has.has(need));
}

/** The requirements that an owner's jobs decide, with jobs of these kinds. */
export function decidedWith(kinds: readonly JobKind[] = jobKinds): ReadonlySet<RequirementId> {
  const run = allChecks.filter((check) => runsWithJobs(check, kinds));
  return new Set(run.flatMap(({ covers }) => covers));
}
