/** A value that lies between two bounds, in ms, and when it was measured, in ms of the monotonic clock. */
export interface Measured {
  readonly atMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** What one objective is judged by. */
export interface ObjectiveValues {
  readonly values: readonly Measured[];
  /** How many of the requests were errors, and when each; absent where no share of errors is asked for. */
  readonly errorsAtMs: readonly number[];
  readonly requests: number;
  /** How late the generator was for these, in ms; the highest twentieth left out. */
  readonly lateMs: number;
}
