import * as fc from "fast-check";

export interface FuzzOptions {
  readonly seconds: number;
  readonly seed: number;
  /** The readers of files that are tried; all of them where none is named. */
  readonly names?: readonly string[];
}

export interface FuzzEnd {
  /** What went wrong, in words. */
  readonly problems: readonly string[];
  readonly figures: Readonly<Record<string, unknown>>;
}

/** How much memory may grow, in bytes, between the first minute, or the first third of the time, and the end. */
export const growthBytesMax = 268_435_456;

/** Tries a property with what the seed gives until the time is over; returns its failure in words, where it has one. */
export async function failureOf<Value>(
  property: fc.IAsyncProperty<Value>,
  seed: number,
  timeMs: number,
): Promise<readonly string[]> {
  const result = await fc.check(property, {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: timeMs,
    markInterruptAsFailure: false,
  });
  if (!result.failed) return [];
  const example = JSON.stringify(result.counterexample).slice(0, 4_000);
  return [`${String(result.errorInstance)}\n  after ${result.numRuns} runs, with ${example}`];
}
