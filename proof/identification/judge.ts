import { likelyKinds } from "../../load/limiters/identify.ts";
import type { Remaining } from "../../load/limiters/identify.ts";
import type { Declared } from "../../load/limiters/kind.ts";
import type { TraceOutcome, TrueLimiter } from "./run-traces.ts";

export type IdentificationJudgement = "right" | "inconclusive" | "wrong";

type Judged = Pick<TraceOutcome, "truth" | "identification" | "unanswered">;

/** Kinds that a trace alone does not tell from others: only the name by their numbers is judged. */
const byName: ReadonlySet<string> = new Set(["split windows", "counter per process", "none"]);

/** The clocks of two processes may differ by this share. */
const slack = 0.005;

/**
 * Right: only the true kind remains, with its exact limit and a narrow window. Inconclusive: it remains, but others do
 * too or its numbers stay open. Wrong: it does not remain.
 */
export function judge({ truth, identification, unanswered }: Judged): IdentificationJudgement {
  if (unanswered > 0) return "inconclusive";
  const { kind } = truth;
  const { best, remaining } = identification;
  if (best.kind === kind && byName.has(kind)) return "right";
  if (byName.has(kind)) return kind === "none" ? "wrong" : "inconclusive";
  if (remaining.length === 0) return "inconclusive";
  const { limit, windowMs, width } = expected(truth);
  const itself = remaining.find((one) => one.kind === kind);
  if (itself === undefined || !holds(itself, limit, windowMs)) return "wrong";
  const { limits, windows } = itself;
  const isExact = limits.least === limits.most && remaining.length === 1;
  const isNarrow = windows.longestMs - windows.shortestMs <= width * windowMs;
  return isExact && isNarrow ? "right" : "inconclusive";
}

/**
 * Whether only the true kind explains the trace with about the declared limit and window, however well both are known.
 */
export function isNamed(
  { truth, identification: { remaining } }: Judged,
  declared: Declared,
): boolean {
  const likely = likelyKinds(remaining, declared);
  return likely.length > 0 && likely.every(({ kind }) => kind === truth.kind);
}

/** A bucket with its own rate holds a fifth of the limit; how long it takes to fill is less well known. */
function expected({ kind, limit, windowMs }: TrueLimiter): Declared & { readonly width: number } {
  if (kind !== "bucket with its own rate") return { limit, windowMs, width: 0.05 };
  const capacity = Math.ceil(limit / 5);
  return { limit: capacity, windowMs: (windowMs * capacity) / limit, width: 0.3 };
}

function holds({ limits, windows }: Remaining, limit: number, windowMs: number): boolean {
  return (
    limits.least <= limit &&
    limit <= limits.most &&
    windows.shortestMs <= windowMs * (1 + slack) &&
    windows.longestMs >= windowMs * (1 - slack)
  );
}
