import type { LoadMeter } from "../load/meter.ts";

/** What was sent so far, and what came of it. */
export interface LoadCounts {
  sent: number;
  accepted: number;
  refused: number;
  /** Answered by a status of 500 or more. */
  broken: number;
  answered: number;
}

/** Fewer answers say little of a target. */
const answersMin = 100;

export interface LoadWatch {
  readonly counts: Readonly<LoadCounts>;
  readonly meter: LoadMeter;
  /** Aborted, with the reason, by the interruption, at the time limit, or where the target breaks down. */
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

export interface Watched {
  readonly interruption: AbortSignal;
  readonly timeLimitMs: number;
  /** Whether a target that answers 5xx to most requests is left alone: not one of one's own. */
  readonly isSpared: boolean;
}

/** Counts what is sent, and stops it in time. */
export function watchLoad({ interruption, timeLimitMs, isSpared }: Watched): LoadWatch {
  const controller = new AbortController();
  const counts: LoadCounts = { sent: 0, accepted: 0, refused: 0, broken: 0, answered: 0 };
  const answered = (status: number): void => {
    if (status === 0) return;
    counts.answered += 1;
    if (status >= 200 && status < 300) counts.accepted += 1;
    if (status === 429) counts.refused += 1;
    if (status >= 500) counts.broken += 1;
    if (isSpared && counts.answered >= answersMin && 2 * counts.broken > counts.answered) {
      controller.abort(
        `the load was stopped: ${counts.broken} of ${counts.answered} answers of the target were 5xx`,
      );
    }
  };
  const interrupt = (): void => controller.abort();
  interruption.addEventListener("abort", interrupt);
  if (interruption.aborted) interrupt();
  const limit = setTimeout(
    () => controller.abort(`the load was stopped at its time limit of ${timeLimitMs / 1_000} s`),
    Math.min(timeLimitMs, timerMsMax),
  );
  return {
    counts,
    meter: { sent: () => void (counts.sent += 1), answered },
    signal: controller.signal,
    stop: () => {
      clearTimeout(limit);
      interruption.removeEventListener("abort", interrupt);
    },
  };
}

/** A longer time would not fit into a timer, which then ends at once. */
const timerMsMax = 2_147_483_647;
