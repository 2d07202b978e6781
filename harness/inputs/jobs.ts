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

/** In milliseconds, longer than any check lasts: a job that works this long has to be cancelled. */
export const longJobMs = 60_000;

/**
 * Turns what a check wants of a job into an input for the workers of the endpoint: one of the conformance handler, or
 * one of the jobs file. The conformance handler does exactly what the arguments say; jobs of a jobs file do what the
 * file says, whatever the arguments are.
 */
export interface Jobs {
  /** Whether each job does exactly as its arguments say. */
  readonly exact: boolean;
  /** How much longer than asked for a job may take to start and to end, in milliseconds. */
  readonly graceMs: number;
  /** The state in which a job of `failingFirst` ends when it is retried. */
  readonly endAfterRetry: "COMPLETED" | "FAILED";
  /** Completes soon. Where jobs of known output are given, different values are different jobs. */
  readonly quick: (value?: unknown) => JobInput;
  /** Completes soon; where jobs are exact, after `ms`. */
  readonly short: (ms: number, value?: unknown) => JobInput;
  /** How long a job of `quick` works at most. */
  readonly quickMs: number;
  /** Works for so long, then completes. */
  readonly slow: (ms: number, value?: unknown) => JobInput;
  /** Ends by an error of its handler. */
  readonly failing: (message: string) => JobInput;
  /** Fails on its first `failures` attempts; where that is 0, it completes soon. */
  readonly failingFirst: (failures: number, value: unknown) => JobInput;
  /** Works for `count` intervals, then completes; where jobs are exact, yields a chunk in each. */
  readonly slowYielding: (count: number, intervalMs: number) => JobInput;
  /** Yields chunks, then completes. */
  readonly streaming: (count: number, intervalMs: number) => JobInput;
  /** The rows worth trying: all where jobs are exact; the first where the jobs file has one job for all. */
  readonly eachOf: <Row>(rows: readonly Row[]) => readonly Row[];
  /** How many chunks a job of `streaming` that was asked for `count` yields at least. */
  readonly chunksAtLeast: (count: number) => number;
  /** What is known of the output of a job with this input; undefined where nothing is. */
  readonly outputOf: (input: JobInput) => KnownOutput | undefined;
  /** How long a job of `slow` that was asked to work for `ms` works. */
  readonly lengthOf: (ms: number) => WorkLength;
  /** How long such a job usually works; what is still at work after that would take longer than usual. */
  readonly usualMs: (ms: number) => number;
}

/** What is known of the workers of an endpoint, and grows while it is used. */
export interface KnownWorkers {
  /** Whether a cancel ends the work of a job. */
  readonly endsByCancel: () => boolean;
  /** How long a job may wait for a worker to start, in milliseconds. */
  readonly startsMs: () => number;
}

/**
 * The same jobs for workers that somebody else keeps. Where no cancel ends one, what is to work for longer than any check
 * lasts ends by itself soon after its check.
 * @param checkMs how long the check lasts
 */
export function jobsFor(
  { endsByCancel, startsMs }: KnownWorkers,
  jobs: Jobs,
  checkMs: number,
): Jobs {
  if (!jobs.exact) return jobs;
  const soon = (ms: number): number => (ms < longJobMs || endsByCancel() ? ms : lastingMs(checkMs));
  return {
    ...jobs,
    get graceMs() {
      return jobs.graceMs + startsMs();
    },
    slow: (ms, value) => jobs.slow(soon(ms), value),
    slowYielding: (count, intervalMs) =>
      jobs.slowYielding(Math.ceil(soon(count * intervalMs) / intervalMs), intervalMs),
    lengthOf: (ms) => jobs.lengthOf(soon(ms)),
    usualMs: (ms) => jobs.usualMs(soon(ms)),
  };
}

/** How long a job works that is to last as long as its check, which takes `checkMs`, and cannot be cancelled. */
export function lastingMs(checkMs: number): number {
  return checkMs + lateByMsMax;
}

/** By how much a check may be late. */
const lateByMsMax = 8000;
