import type { Counter } from "./operations.ts";

/** Where an endpoint's clock and counters stand when it is made. The specification names no origin. */
export interface OriginBehaviour {
  /** Where a virtual clock begins; a real one shows the time of day. */
  readonly clockMs: number;
  readonly counts: Readonly<Record<Counter, number>>;
}

export const origin: OriginBehaviour = {
  clockMs: 0,
  counts: { completed: 0, failed: 0, retried: 0 },
};
