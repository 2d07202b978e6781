import type { Declared } from "./kinds.ts";

/** The limits and windows with which limiters of one kind explain a trace in full. */
export interface Explained {
  readonly limits: { readonly least: number; readonly most: number };
  readonly windows: { readonly shortestMs: number; readonly longestMs: number };
}

/** The limiter of a family that explains a trace best. */
export interface Found {
  readonly limit: number;
  readonly windowMs: number;
  readonly differences: number;
  readonly phaseMs?: number;
  readonly parts?: number;
  /** How far its window can be shorter or longer with nothing explained less well. */
  readonly bounds?: Explained["windows"];
  /** Absent where no limiter of the family explains everything. */
  readonly explained?: Explained;
}

/** How far a limiter is from the declared one. */
export function distance(
  { limit, windowMs }: Pick<Found, "limit" | "windowMs">,
  declared: Declared,
): number {
  return far(limit, declared.limit) + far(windowMs, declared.windowMs);
}

function far(one: number, other: number): number {
  return Math.abs(Math.log(one / other));
}

export function hull(all: readonly number[]): readonly [number, number] {
  return [Math.min(...all), Math.max(...all)];
}
