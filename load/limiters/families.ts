import { counters } from "./counters.ts";
import type { Demands } from "./limit-bounds.ts";
import type { LimiterKind } from "./kinds.ts";
import { alignedWindows } from "./phases.ts";
import { fixedFromFirst, perProcess, slidingLog } from "./constraints.ts";
import type { Timeline } from "./timeline.ts";

/** One way in which limiters of a kind with windows of one length can lie on the trace's clock. */
export interface Variant {
  readonly demands: Demands;
  readonly phaseMs?: number;
  readonly parts?: number;
}

/** Limiters of one kind, told apart by the length of their window and, where aligned, by their phase. */
export interface Family {
  readonly kind: LimiterKind;
  readonly variants: (trace: Timeline, windowMs: number) => readonly Variant[];
}

/** All kinds that have one count and a window; buckets are searched in their own way. */
export const families: readonly Family[] = [
  {
    kind: "fixed from first request",
    variants: (trace, ms) => [{ demands: fixedFromFirst(trace, ms) }],
  },
  {
    kind: "fixed aligned",
    variants: (trace, ms) => alignedWindows(trace, ms),
  },
  {
    kind: "sliding log",
    variants: (trace, ms) => [{ demands: slidingLog(trace, ms, false) }],
  },
  {
    kind: "sliding log counting refusals",
    variants: (trace, ms) => [{ demands: slidingLog(trace, ms, true) }],
  },
  {
    kind: "sliding counter",
    variants: (trace, ms) => counters(trace, ms),
  },
];

/** Tried only where none of the others explains a trace: it explains much. */
export const processes: Family = {
  kind: "counter per process",
  variants: (trace, ms) =>
    [2, 3, 4].map((parts) => ({ parts, demands: perProcess(trace, ms, parts) })),
};
