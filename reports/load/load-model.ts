import type {
  LimiterIdentification,
  LoadPoints,
  LoadSamples,
  LoadWindow,
} from "../../openapi/index.ts";

export type {
  LimiterFit,
  LimiterIdentification,
  LoadPoints,
  LoadSamples,
  LoadWindow,
} from "../../openapi/index.ts";

/** How times are spread. `counts[i]` of them are at most `uptoMs[i]` and more than the one before. */
export interface TimeSpread {
  readonly count: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly histogram: { readonly uptoMs: readonly number[]; readonly counts: readonly number[] };
}

/**
 * One trace as a report holds it: counted in bins of `binMs` from `fromMs`, by the time of sending.
 * The lists of `bins` are of one length; a null stands where nothing was answered.
 */
export interface LoadSeries {
  readonly name: string;
  readonly operation?: string;
  readonly clock: "real" | "virtual";
  readonly requests: number;
  readonly fromMs: number;
  /** 100, or more where the trace is long. */
  readonly binMs: number;
  readonly bins: {
    readonly sent: readonly number[];
    /** Answered with a success. */
    readonly accepted: readonly number[];
    /** Answered 429. */
    readonly refused: readonly number[];
    /** The most in flight at once; one without an answer counts until the end. */
    readonly inFlight: readonly number[];
    readonly p50Ms: readonly (number | null)[];
    readonly p99Ms: readonly (number | null)[];
    /** The most the generator was late. */
    readonly lateMs?: readonly (number | null)[];
  };
  /** From sending to the answer; absent where nothing was answered. */
  readonly latency?: TimeSpread;
  /** How late the generator sent what its schedule wanted; absent without a schedule. */
  readonly scheduleError?: TimeSpread;
  readonly limit?: number;
  readonly windowMs?: number;
  readonly windows?: readonly LoadWindow[];
  readonly cap?: number;
}

/** One load scenario's figures. Its requirements are judged by checks, as everywhere. */
export interface LoadResult {
  readonly scenario: string;
  readonly engine: "k6" | "autocannon" | "probe";
  readonly figures: Readonly<Record<string, number | string>>;
  readonly requirements: readonly string[];
  /** Raw, as an engine took them; a report holds them as `series`. */
  readonly samples?: readonly LoadSamples[];
  readonly limiter?: LimiterIdentification;
  /** Of one of several runners of a test: where every value it measured stands. */
  readonly points?: LoadPoints;
  /** What a scenario asks that is no requirement's check, in one sentence. */
  readonly question?: string;
  /** What came of it, in one sentence. */
  readonly answer?: string;
  readonly verdict?: "pass" | "fail" | "inconclusive" | "not-run";
  /** Why it is not a pass. */
  readonly reason?: string;
}

/** A load scenario as it stands in a report. */
export interface ReportLoad extends Omit<LoadResult, "samples"> {
  readonly series?: readonly LoadSeries[];
}
