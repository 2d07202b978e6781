import { checks } from "../../contracts/checks.ts";
import { historyCheck } from "../../contracts/history/judge-history.ts";
import { needsOf, realTimeOf } from "../../harness/check.ts";
import type { CheckHeader } from "../../harness/check.ts";
import { loadChecks } from "../../load/requirements/checks.ts";
import { isOfLoad } from "../../openapi/requirements.ts";
import type { Fault } from "../../reference/faults.ts";
import { durationText } from "../../reports/words.ts";
import { realClockReasons } from "./real-clock-reasons.ts";

/** How a fault is met on a real clock. */
export interface RealClockPlan {
  readonly fault: Fault;
  /** The contract checks that are run; absent: all of what the fault breaks. */
  readonly checks?: readonly string[];
  /** How long the quickest of them waits; 0 where it is not known. */
  readonly waitMs: number;
}

/** A fault that no run on a real clock shows, and why. */
export interface NotOnRealClock {
  readonly fault: Fault;
  readonly why: string;
}

/** The longest wait that is tried: the result of an asynchronous job is kept for half an hour. */
export const waitMsMax = 2_400_000;

/**
 * Chooses the checks that may catch a fault of the contract on a real clock from those that caught it on the virtual one.
 * Where a check judges what the others observed, all checks of what the fault breaks are run. A fault of limits and caps
 * meets all checks of what it breaks.
 * @param caughtBy the checks that caught each fault, from the page of the kill matrix
 */
export function planOf(
  fault: Fault,
  caughtBy: ReadonlyMap<string, readonly string[]>,
): RealClockPlan | NotOnRealClock {
  const why = realClockReasons.get(fault.name);
  if (why !== undefined) return { fault, why };
  const names = caughtBy.get(fault.name);
  if (names === undefined || names.includes(historyCheck.name)) return { fault, waitMs: 0 };

  const known = names
    .flatMap((name) => checkNamed.get(name) ?? [])
    .filter((check) => !needsOf(check).includes("clock"));
  if (known.length === 0) return { fault, why: "only checks that advance the clock catch it" };
  if (fault.breaks.some((id) => isOfLoad(id))) return { fault, waitMs: 0 };
  const waitMs = Math.min(...known.map((check) => realTimeOf(check)));
  if (waitMs > waitMsMax) return { fault, why: `it shows after ${durationText(waitMs)}` };
  return { fault, checks: known.map(({ name }) => name), waitMs };
}

const checkNamed: ReadonlyMap<string, CheckHeader> = new Map(
  [...checks, ...loadChecks].map((check) => [check.name, check]),
);
