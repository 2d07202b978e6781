import { setFlagsFromString } from "node:v8";

/**
 * V8 lets the heaps of a short run grow to twice and more of what is alive. Tight ones grow by 15 % between collections,
 * and the thread of the checks has less room for what lives only shortly: much less memory for a sixth more processor
 * time, most of it beside the work. Not for what has to be punctual.
 */
const tight = ["--heap-growing-percent=15", "--max-semi-space-size=2"];

/** What V8 does unless it is told otherwise. */
const usual = ["--heap-growing-percent=0", "--max-semi-space-size=16"];

export function tightenHeaps(): void {
  for (const flag of tight) setFlagsFromString(flag);
}

export function loosenHeaps(): void {
  for (const flag of usual) setFlagsFromString(flag);
}
