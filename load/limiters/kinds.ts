import type { LimiterKind, LimiterNumbers, Admit } from "./kind.ts";
import { counterPerProcess } from "./kinds/counter-per-process.ts";
import { fixedAligned, splitWindows } from "./kinds/fixed-aligned.ts";
import { fixedFromFirst } from "./kinds/fixed-from-first.ts";
import { slidingCounter, slidingCounterOfAll } from "./kinds/sliding-counter.ts";
import { slidingLog, slidingLogOfAll } from "./kinds/sliding-log.ts";
import { bucketWithOwnRate, tokenBucket } from "./kinds/token-bucket.ts";

/** Nothing limits. */
export const none: LimiterKind = {
  name: "none",
  start: () => (_nowMs, count) => count,
};

/** The ways of counting requests that a trace is compared with, the simplest first. */
export const limiterKinds: readonly LimiterKind[] = [
  fixedFromFirst,
  fixedAligned,
  slidingLog,
  slidingLogOfAll,
  slidingCounter,
  slidingCounterOfAll,
  tokenBucket,
  bucketWithOwnRate,
  splitWindows,
  counterPerProcess,
  none,
];

/** Whether a trace tells limiters of the kind from all others, without knowledge of what is declared. */
export function isToldApart({ search, isLast }: LimiterKind): boolean {
  return search !== undefined && isLast === undefined;
}

/** @throws Error where there is none of that name. */
export function kindNamed(name: string): LimiterKind {
  const found = limiterKinds.find((kind) => kind.name === name);
  if (found === undefined) throw new Error(`there is no kind of limiter called ${name}`);
  return found;
}

/** A limiter as a pure model: its kind and its numbers. */
export interface LimiterModel extends LimiterNumbers {
  readonly kind: string;
}

/** The limiter of a model, with nothing counted yet. */
export function startLimiter(model: LimiterModel): Admit {
  return kindNamed(model.kind).start({ phaseMs: 0, parts: 1, ...model });
}
