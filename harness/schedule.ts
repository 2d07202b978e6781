import { realTimeOf } from "./check.ts";
import type { Check } from "./check.ts";
import type { Session } from "./session.ts";

/** The checks of a run in the order in which they start. */
export interface Schedule {
  readonly acting: readonly Check[];
  /** Those that only judge what the others observed: they run last. */
  readonly observing: readonly Check[];
}

/**
 * Orders the checks of a run. The longest waits start first, so that the others fit into them; on a virtual clock those
 * are the checks that wait for the target's own time.
 */
export function schedule(checks: readonly Check[], session: Pick<Session, "virtual">): Schedule {
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
    acting: ordered.filter(({ observe }) => observe === undefined),
    observing: ordered.filter(({ observe }) => observe !== undefined),
  };
}
