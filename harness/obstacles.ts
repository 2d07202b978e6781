import type { RequirementId } from "../openapi/requirements.ts";
import {
  lackingReason,
  thoroughReason,
  tooLongReason,
  tooShortReason,
} from "../reports/not-run.ts";
import { needsOf, realTimeOf, slowMsOf } from "./check.ts";
import { unlimitedBudgetMs } from "./time-budget.ts";
import type { Check, CheckHeader } from "./check.ts";
import type { Jobs } from "./inputs/jobs.ts";
import type { Session } from "./session.ts";

/** What decides whether a check can be tried. */
interface SessionOffers extends Pick<Session, "offers" | "virtual"> {
  readonly jobs?: Jobs;
}

/** Why a check is not tried on this target, or `undefined` when it is. */
export function obstacleOf(
  check: CheckHeader,
  session: SessionOffers,
  timeBudgetMs: number,
): string | undefined {
  const lacking = lackingOf(check, session);
  if (lacking !== undefined) return lacking;
  if (check.thorough === true && timeBudgetMs < unlimitedBudgetMs) return thoroughReason;

  const realTimeMs = realTimeOf(check);
  if (session.virtual || realTimeMs <= timeBudgetMs) return undefined;
  return tooLongReason(realTimeMs, timeBudgetMs);
}

function lackingOf(check: CheckHeader, session: SessionOffers): string | undefined {
  const missing = needsOf(check).filter((need) => !session.offers(need));
  if (missing.length > 0) return lackingReason(missing);
  const slowMs = slowMsOf(check);
  if (slowMs === undefined || session.jobs === undefined) return undefined;
  const { atLeastMs } = session.jobs.lengthOf(slowMs);
  return atLeastMs < slowMs ? tooShortReason(slowMs, atLeastMs) : undefined;
}

/** Why something is not tried, and the cause that was learned for it, where there is one. */
export interface Obstacle {
  readonly reason: string;
  readonly cause?: string | undefined;
}

/** The same for one requirement that the check covers, also by what the dialect says, or was learned, to be lacking. */
export function whyNotTried(
  check: Check,
  requirement: RequirementId,
  { session, timeBudgetMs }: { readonly session: Session; readonly timeBudgetMs: number },
): Obstacle | undefined {
  const { dialect, discovery } = session;
  const lacking = dialect.lackingFor(check.name) ?? dialect.lacking(requirement);
  if (lacking !== undefined) {
    const reason = `${lacking} (${dialect.sourceOf(requirement)})`;
    return { reason, cause: dialect.causeOf(requirement) };
  }
  const needs = needsOf(check);
  const noWebhook = dialect.obstacle("webhook");
  if (noWebhook !== undefined && needs.includes("webhook")) {
    return { reason: noWebhook, cause: dialect.causeOfMissing("webhook") };
  }
  const untrue = needs.find((need) => discovery.kindsTakenAway.has(need));
  if (untrue !== undefined) {
    const reason = `the jobs file's ${untrue} job does not do what the file says`;
    return { reason, cause: discovery.kindsTakenAway.get(untrue) };
  }
  const reason = obstacleOf(check, session, timeBudgetMs);
  return reason === undefined ? undefined : { reason };
}
