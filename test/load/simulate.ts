import { partsOf } from "../../load/limiters/burst-plan.ts";
import { traceSteps } from "../../load/limiters/trace.ts";
import type { TracedRequest } from "../../load/limiters/trace.ts";
import type { Declared } from "../../load/limiters/kind.ts";
import type { Decide } from "./rules.ts";
import { identify } from "../../load/limiters/identify.ts";
import { isToldApart, limiterKinds } from "../../load/limiters/kinds.ts";
import { rules } from "./rules.ts";

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

export interface Surroundings {
  /** The shortest and the longest time an answer takes; both 0: a virtual clock. */
  readonly latencyMs: readonly [number, number];
  /** How late a request may be sent. */
  readonly lateMs?: number;
  readonly atOnce: number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** The trace that a limiter leaves, with latency, and with the requests of a burst in parallel. */
export function simulate(
  decide: Decide,
  stated: Declared,
  { latencyMs: [shortest, longest], lateMs = 0, atOnce, random }: Surroundings,
): readonly TracedRequest[] {
  const trace: TracedRequest[] = [];
  let freeMs = -Infinity;
  let lastCountedMs = -Infinity;
  const send = (atMs: number, count: number): boolean => {
    let isRefused = false;
    const lanes = Array.from({ length: atOnce }, () => Math.max(atMs + random() * lateMs, freeMs));
    const waiting: { sentMs: number; countedMs: number; answeredMs: number }[] = [];
    for (let sent = 0; sent < count; sent += 1) {
      const lane = lanes.indexOf(Math.min(...lanes));
      const sentMs = lanes[lane] ?? atMs;
      const takesMs = shortest + random() ** 4 * (longest - shortest);
      const answeredMs = sentMs + takesMs;
      waiting.push({ sentMs, countedMs: sentMs + random() * takesMs, answeredMs });
      lanes[lane] = answeredMs + (longest === 0 ? 0 : 0.05);
    }
    waiting.sort((one, other) => one.countedMs - other.countedMs);
    for (const one of waiting) {
      lastCountedMs = Math.max(lastCountedMs, one.countedMs);
      const isAdmitted = decide(lastCountedMs);
      isRefused ||= !isAdmitted;
      trace.push({ sentMs: one.sentMs, answeredMs: one.answeredMs, isAdmitted });
    }
    freeMs = Math.max(freeMs, ...waiting.map(({ answeredMs }) => answeredMs));
    return isRefused;
  };
  const placeMs = stated.windowMs / stated.limit;
  for (const step of traceSteps(stated.limit, stated.windowMs)) {
    const parts = partsOf(step, { placeMs, isStill: longest === 0 });
    for (let next = parts.next(); next.done !== true;) {
      const { count, afterMs } = next.value;
      const isRefused = send(Math.max(step.atMs, freeMs + afterMs), count);
      next = parts.next({ isRefused, nowMs: freeMs });
    }
  }
  return trace;
}

/** Numbers between 0 and 1 that are the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
