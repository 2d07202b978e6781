import type { HandlerEnding } from "./handler.ts";

/** What a worker tells of its job while it works on it. */
export interface WorkReport {
  /** A chunk the handler yielded; `isLast` where that is known beforehand. */
  chunk(output: unknown, isLast: boolean): void;
  /** A progress update. */
  progress(output: unknown): void;
  ended(ending: HandlerEnding): void;
}

/** A worker's work on one job. */
export interface Work {
  /** Ends it; what it still reports means nothing. */
  stop(): void;
}
