/** The ways of counting requests that a trace is compared with, the simplest first. */
export const limiterKinds = [
  "fixed from first request",
  "fixed aligned",
  "sliding log",
  "sliding log counting refusals",
  "sliding counter",
  "token bucket",
  "bucket with its own rate",
  "split windows",
  "counter per process",
  "none",
] as const;
export type LimiterKind = (typeof limiterKinds)[number];

/** What is stated of a limit. */
export interface Declared {
  readonly limit: number;
  readonly windowMs: number;
}
