import { realTimeOf } from "./check.ts";
import type { Check } from "./check.ts";
import type { HeldMs } from "./endpoint/endpoint-lease.ts";
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

/** The parts of a first attempt, one after the other: the checks that were named, then all others at once. */
export function partsAtFirst(
  checks: readonly Check[],
  names: readonly string[],
): readonly (readonly Check[])[] {
  const isNamed = ({ name }: Check): boolean => names.includes(name);
  return [checks.filter(isNamed), checks.filter((check) => !isNamed(check))];
}

/** Checks that kept their endpoint from others no longer than this hardly disturb one another, in milliseconds. */
const heldMsMax = 3000;

/**
 * The parts of a later attempt: each check alone, the shortest first. Only those that mostly wait are first tried once
 * more beside one another.
 * @param heldOf how long a check held its endpoint when it was last run
 */
export function partsAgain(
  checks: readonly Check[],
  attempt: number,
  heldOf: (check: Check) => HeldMs | undefined,
): readonly (readonly Check[])[] {
  const mostlyWaits = (check: Check): boolean => {
    const { sharing = Infinity, alone = 0 } = heldOf(check) ?? {};
    return attempt === 2 && alone === 0 && sharing <= heldMsMax;
  };
  const others = checks.filter((check) => !mostlyWaits(check));
  const alone = others.toSorted((one, other) => realTimeOf(one) - realTimeOf(other));
  return [checks.filter(mostlyWaits), ...alone.map((check) => [check])];
}
