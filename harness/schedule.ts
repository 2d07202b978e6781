import { realTimeOf } from "./check.ts";
import type { Check } from "./check.ts";
import { obstacleOf } from "./obstacles.ts";
import type { Session } from "./session.ts";

/** The checks of a run in the order in which they start. */
export interface Schedule {
  readonly acting: readonly Check[];
  /** Those that only judge what the others were answered: they come last. */
  readonly observing: readonly Check[];
}

interface ScheduleOptions {
  /** The longest a check may take on a real clock, in milliseconds. */
  readonly timeBudgetMs: number;
  /** How much is known of the target when a check has ended. */
  readonly informationOf?: (check: string) => number;
}

/**
 * Orders the checks of a run, and limits the session to the time they need: a target that answers everything, but
 * slowly, must not make a run last for days. The longest waits begin first, so that the others fit into them: on a
 * virtual clock those that wait for the target's own time. Of those that wait as long, the one that tells most is first.
 */
export function schedule(
  checks: readonly Check[],
  session: Session,
  { timeBudgetMs, informationOf = () => 0 }: ScheduleOptions,
): Schedule {
  const tried = checks.filter((check) => obstacleOf(check, session, timeBudgetMs) === undefined);
  session.limitTo(tried.reduce((sumMs, check) => sumMs + realTimeOf(check), 0));
  const waitOf = (check: Check): number =>
    session.virtual ? Number(check.waitsForTarget === true) : realTimeOf(check);
  // What they prepare must not grow old before all who share the endpoint are done and their stall begins.
  const ordered = checks.toSorted(
    (one, other) =>
      Number(one.stalls === true) - Number(other.stalls === true) ||
      waitOf(other) - waitOf(one) ||
      // Before the run's own records fill the memory.
      (other.megabytes ?? 0) - (one.megabytes ?? 0) ||
      informationOf(other.name) - informationOf(one.name),
  );
  return {
    acting: ordered.filter(({ observes }) => observes !== true),
    observing: ordered.filter(({ observes }) => observes === true),
  };
}
