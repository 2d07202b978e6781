import { isSubmission, windowMs } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { traceLengthMs } from "../limiters/trace.ts";
import { realTimeOf } from "../../harness/check.ts";
import type { LoadCheck } from "./check.ts";
import { loadChecks } from "./checks.ts";
import { isOffered } from "./load-session.ts";
import { tracedTiers } from "./run-requirements.ts";
import { staggerMs } from "./side-by-side.ts";
import type { Situation } from "./situation.ts";
import { turnsOf } from "./turns.ts";

/**
 * How long the checks of these names take on a real clock, in ms. With endpoints of their own they run one after the
 * other; on a shared endpoint they run in turns, after the traces that they record together.
 */
export function durationOf(names: ReadonlySet<string>, on: Situation): number {
  const checks = loadChecks.filter(({ name }) => names.has(name));
  if (on.makesEndpoints) return sum(checks.map(realTimeOf));
  const traced = tracedTiers(new Set(checks.flatMap(({ covers }) => covers)));
  const turns = turnsOf(checks, on).map((lanes) =>
    Math.max(...lanes.map((lane) => sum(lane.map((check) => sharedTimeOf(check, on))))),
  );
  const clearingMs = checks.some(({ usesUp }) => usesUp === "cancel") ? windowMs : 0;
  return recordingMs(traced.filter((tier) => isOffered(on, tier))) + sum(turns) + clearingMs;
}

function sharedTimeOf(check: LoadCheck, on: Situation): number {
  return check.sharedMs?.(on) ?? realTimeOf(check);
}

/** Two windows of silence, the traces of operations without jobs, then the short traces of those with jobs. */
function recordingMs(traced: readonly Tier[]): number {
  const together = traced.filter(({ operation }) => operation !== "cancel");
  if (together.length === 0) return 0;
  const free = together.filter(({ operation }) => !isSubmission(operation));
  const dear = together.filter(({ operation }) => isSubmission(operation));
  const freeMs = free
    .toSorted((one, other) => other.limit - one.limit)
    .map((tier, at) => at * staggerMs + traceLengthMs(tier.limit, windowMs));
  const dearMs = dear.map((_, at) => at * staggerMs + shortTraceWindows * windowMs);
  return 2 * windowMs + Math.max(0, ...freeMs) + Math.max(0, ...dearMs);
}

/** The length, in windows, of a trace for which one burst is enough. */
const shortTraceWindows = 1.22;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
