/** What a submission carries as `input`. */
export type JobInput = Readonly<Record<string, unknown>>;

/** The output of a job, where it is known beforehand. */
export interface KnownOutput {
  readonly output: unknown;
}

/** How long a job works, in milliseconds of the endpoint's time. */
export interface WorkLength {
  readonly atLeastMs: number;
  readonly atMostMs: number;
}

/**
 * Turns what a check asks of a job into an input for the workers of the endpoint: into one of the conformance handler's,
 * or into one that the jobs file names. The arguments are exact where the conformance handler works; jobs of its owner
 * do what the jobs file says, whatever the arguments are.
 */
export interface Jobs {
  /** Whether each job does exactly as its arguments say. */
  readonly exact: boolean;
  /** How much longer than asked for a job may take to start and to end. */
  readonly graceMs: number;
  /** The state in which a job of `failingFirst` ends when it is retried. */
  readonly endAfterRetry: "COMPLETED" | "FAILED";
  /** Completes soon. Of known jobs, different values are different jobs. */
  readonly quick: (value?: unknown) => JobInput;
  /** Completes soon: where jobs are exact, after so long. */
  readonly short: (ms: number, value?: unknown) => JobInput;
  /** How long a job of `quick` works at most. */
  readonly quickMs: number;
  /** Works for so long, then completes. */
  readonly slow: (ms: number, value?: unknown) => JobInput;
  /** Ends by an error of its handler. */
  readonly failing: (message: string) => JobInput;
  /** Ends by an error on its first attempts; of none, it completes soon. */
  readonly failingFirst: (failures: number, value: unknown) => JobInput;
  /** Works for so many intervals, then completes; where that is known of it, it yields a chunk in each. */
  readonly slowYielding: (count: number, intervalMs: number) => JobInput;
  /** Yields chunks, then completes. */
  readonly streaming: (count: number, intervalMs: number) => JobInput;
  /** The rows that make a difference: all where jobs are exact; the first where there is one job of its owner's for all. */
  readonly eachOf: <Row>(rows: readonly Row[]) => readonly Row[];
  /** How many chunks a job of `streaming` yields at least that was asked for so many. */
  readonly chunksAtLeast: (count: number) => number;
  /** What is known of the output of a job with this input; undefined where nothing is. */
  readonly outputOf: (input: JobInput) => KnownOutput | undefined;
  /** How long a job of `slow` works that was asked to work for so long. */
  readonly lengthOf: (ms: number) => WorkLength;
}
