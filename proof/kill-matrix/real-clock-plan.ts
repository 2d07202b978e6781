import { checks } from "../../contracts/checks.ts";
import { historyCheck } from "../../contracts/history/judge-history.ts";
import { needsOf, realTimeOf } from "../../harness/check.ts";
import type { CheckHeader } from "../../harness/check.ts";
import { loadChecks } from "../../load/requirements/checks.ts";
import { isOfLoad } from "../../openapi/requirements.ts";
import type { Fault } from "../../reference/faults.ts";
import { durationText } from "../../reports/words.ts";
import type { KeptEvidence } from "./evidence-file.ts";

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

/**
 * Why faults show only where the clock is advanced, although the checks that catch them there run on a real clock, too.
 * A fault that the evidence names with one of these is not tried again.
 */
const lastingReasons: ReadonlySet<string> = new Set([
  "it shows after minutes or hours, and the checks wait that long on a clock that is advanced",
  "it is wrong by a moment that answers on a real clock take anyway",
  "it shows in one moment of a race or of work, which only a clock that stands still meets",
  "the counts of health are compared with all jobs only where they stand still",
  "it needs many jobs, reads or seconds of a worker, which the checks ask for on a clock that is advanced",
  "two places come back too soon for anybody to tell whose they were",
]);

/** The longest wait that is tried: the result of an asynchronous job is kept for half an hour. */
export const waitMsMax = 2_400_000;

/**
 * Chooses the checks that may catch a fault of the contract on a real clock from those that caught it on the virtual one.
 * Where a check judges what the others observed, all checks of what the fault breaks are run. A fault of limits and caps
 * meets all checks of what it breaks.
 * @param caughtBy the checks that caught each fault, from the page of the kill matrix
 * @param shown what the runs on a real clock before have kept
 */
export function planOf(
  fault: Fault,
  caughtBy: ReadonlyMap<string, readonly string[]>,
  shown: KeptEvidence = {},
): RealClockPlan | NotOnRealClock {
  const why = shown[fault.name];
  if (typeof why === "string" && lastingReasons.has(why)) return { fault, why };
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
