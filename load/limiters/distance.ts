import type { Declared } from "./kind.ts";

/** How far a limiter is from the declared one. */
export function distance({ limit, windowMs }: Declared, declared: Declared): number {
  return logDistance(limit, declared.limit) + logDistance(windowMs, declared.windowMs);
}

function logDistance(one: number, other: number): number {
  return Math.abs(Math.log(one / other));
}

export function rangeOf(all: readonly number[]): readonly [number, number] {
  return [Math.min(...all), Math.max(...all)];
}

/** The first of those whose value is the least. */
export function leastBy<T>(all: readonly T[], valueOf: (one: T) => number): T {
  return all.reduce((one, other) => (valueOf(other) < valueOf(one) ? other : one));
}

const near = 0.02;

/** Within a fiftieth. */
export function isNear(one: number, other: number): boolean {
  return Math.abs(one / other - 1) <= near;
}

/** Whether a range of numbers comes within a fiftieth of another number. */
export function isRangeNear([least, most]: readonly [number, number], other: number): boolean {
  return least <= other * (1 + near) && most >= other * (1 - near);
}
