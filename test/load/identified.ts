import { identify } from "../../load/limiters/identify.ts";
import { isToldApart, limiterKinds } from "../../load/limiters/kinds.ts";
import { rules } from "./rules.ts";
import { randomOf, simulate } from "./simulate.ts";
import type { Surroundings } from "./simulate.ts";

export const declared = { limit: 100, windowMs: 10_000 };
const phaseMs = 3_210;

export type Around = Omit<Surroundings, "random">;
export const virtual: Around = { latencyMs: [0, 0], atOnce: 10 };

/** The limiter that is simulated; what is left out is as stated. */
export interface SimulatedLimiter {
  readonly kind: string;
  readonly limit?: number;
  readonly windowMs?: number;
}

/** What is identified from the trace of a simulated limiter. */
export function identified(
  truth: SimulatedLimiter,
  around: Around,
  stated = declared,
  seed = 1,
): ReturnType<typeof identify> {
  const { kind, limit = stated.limit, windowMs = stated.windowMs } = truth;
  const rule = rules[kind];
  if (rule === undefined) throw new Error(`no rule ${kind}`);
  const surroundings = { ...around, random: randomOf(seed) };
  return identify(simulate(rule({ limit, windowMs, phaseMs }), stated, surroundings), stated);
}

/** The kinds of limiter that are told apart. */
export const kinds = limiterKinds.filter(isToldApart).map(({ name }) => name);

/** It is looked for with the declared window alone. */
export const countingRefusals = "sliding counter counting refusals";
