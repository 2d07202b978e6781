// What the engines of load measure beside their verdicts, as a report takes it.

/** Every request of one trace: arrays of one length, times in ms on one clock from the trace's start. */
export interface LoadSamples {
  /** "cancel: burst, single probes, parts of the limit". */
  readonly name: string;
  readonly operation?: string;
  readonly clock: "real" | "virtual";
  /** When the schedule wanted each sent; absent where there was no schedule. */
  readonly intendedMs?: Float64Array;
  readonly sentMs: Float64Array;
  /** NaN: no answer. */
  readonly answeredMs: Float64Array;
  /** The HTTP status; 0: no answer. */
  readonly status: Uint16Array;
  readonly limit?: number;
  readonly windowMs?: number;
  readonly windows?: readonly LoadWindow[];
  /** The most that may be in flight at once. */
  readonly cap?: number;
}

/** A window of the limit, on the clock of its trace. */
export interface LoadWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How well one kind of limiter explains what was admitted; 0 differences: wholly. */
export interface LimiterFit {
  readonly kind: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly differences: number;
}

/** What the limiter of an operation was identified as, and the best fit of every other kind. */
export interface LimiterIdentification {
  readonly operation: string;
  readonly best: LimiterFit;
  readonly others: readonly LimiterFit[];
  /** The measured length of a window. */
  readonly window?: { readonly shortestMs: number; readonly longestMs: number };
}

/** Percentiles of several runners come from all their values or not at all: a mean of theirs is none. */
export interface LoadPoints {
  /** Relative to the folder of the report. */
  readonly file: string;
  /** From 1 to `runners`. */
  readonly runner: number;
  readonly runners: number;
  /** How a question was asked, so that it can be judged anew. */
  readonly asked?: {
    readonly durationMs: number;
    readonly scale: number;
    readonly capabilities: readonly string[];
  };
  /** Why what this runner did counts for nothing. */
  readonly undecided?: string;
}
