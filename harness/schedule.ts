import { realTimeOf } from "./check.ts";
import type { Check } from "./check.ts";
import { obstacleOf } from "./obstacles.ts";
import type { Session } from "./session.ts";

/** The checks of a run in the order in which they start. */
export interface Schedule {
  readonly acting: readonly Check[];
  /** Those that only judge what the others observed: they run last. */
  readonly observing: readonly Check[];
}

interface ScheduleOptions {
  /** The longest a check may take on a real clock, in milliseconds. */
  readonly timeBudgetMs: number;
}

/**
 * Orders the checks of a run, and limits the session to the time they need, so that a slow target cannot make a run
 * last for days. The longest waits start first, so that the others fit into them; on a virtual clock those are the
 * checks that wait for the target's own time.
 */
export function schedule(
  checks: readonly Check[],
  session: Session,
  { timeBudgetMs }: ScheduleOptions,
): Schedule {
  const tried = checks.filter((check) => obstacleOf(check, session, timeBudgetMs) === undefined);
  session.limitTo(tried.reduce((sumMs, check) => sumMs + realTimeOf(check), 0));
  const waitOf = (check: Check): number =>
    session.virtual ? Number(check.waitsForTarget === true) : realTimeOf(check);
  // Checks that stall start last: what they prepare must not grow old before their stall begins.
  const ordered = checks.toSorted(
    (one, other) =>
      Number(one.stalls === true) - Number(other.stalls === true) ||
      waitOf(other) - waitOf(one) ||
      // The largest payloads come first, before the run's own records fill the memory.
      (other.megabytes ?? 0) - (one.megabytes ?? 0),
  );
  return {
    acting: ordered.filter(({ observes }) => observes !== true),
    observing: ordered.filter(({ observes }) => observes === true),
  };
}
