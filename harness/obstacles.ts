import type { RequirementId } from "../openapi/index.ts";
import { needsOf, realTimeOf } from "./check.ts";
import type { Check, CheckHeader } from "./check.ts";
import type { Session } from "./session.ts";

/** Why a check is not tried on this target, or `undefined` when it is. */
export function obstacleOf(
  check: CheckHeader,
  session: Pick<Session, "offers" | "virtual">,
  timeBudgetMs: number,
): string | undefined {
  const missing = needsOf(check).filter((need) => !session.offers(need));
  if (missing.length > 0) return `the target does not offer ${missing.join(", ")}`;

  const realTimeMs = realTimeOf(check);
  if (session.virtual || realTimeMs <= timeBudgetMs) return undefined;
  return `takes ${inWords(realTimeMs)} on a real clock; the time budget is ${inWords(timeBudgetMs)}`;
}

/** The same for one of the requirements that it covers, by what the dialect says, too. */
export function whyNotTried(
  check: Check,
  requirement: RequirementId,
  { session, timeBudgetMs }: { readonly session: Session; readonly timeBudgetMs: number },
): string | undefined {
  const { dialect: terms } = session;
  const lacking = terms.lackingFor(check.name) ?? terms.lacking(requirement);
  if (lacking !== undefined) return `${lacking} (dialect ${terms.name})`;
  return obstacleOf(check, session, timeBudgetMs);
}

function inWords(ms: number): string {
  return ms % 60_000 === 0 ? `${String(ms / 60_000)} min` : `${String(ms / 1000)} s`;
}
