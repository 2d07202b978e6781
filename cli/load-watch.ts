import { monotonicNowMs } from "../client/exchange.ts";
import type { RequestRules } from "../client/request-rules.ts";
import { whyTooMuch } from "../load/meter.ts";
import type { LoadLimits } from "../load/meter.ts";
import type { LoadMeter } from "../load/meter.ts";
import { SentLoad } from "../load/sent-load.ts";
import type { LoadCost } from "../load/sent-load.ts";
import { TargetGuard } from "../load/target-guard.ts";

/** Counts of the requests sent so far, by result. */
export interface LoadCounts {
  sent: number;
  /** Requests that were answered or given up. */
  over: number;
  accepted: number;
  refused: number;
}

/** With fewer answers, the share of 5xx says little about a target. */
const answersMin = 100;

/** Only this many latest answers count, so that a target that breaks after an hour is noticed soon. */
const answersMax = 1_000;

export interface LoadWatch {
  /** Knows whether the target still answers. */
  readonly guard: TargetGuard;
  readonly counts: Readonly<LoadCounts>;
  readonly meter: LoadMeter;
  /** What was sent so far, by operation. */
  readonly cost: () => LoadCost;
  /** Aborted, with a reason, by an interruption, at the time limit, and when the target breaks down or is gone. */
  readonly signal: AbortSignal;
  readonly stop: () => Promise<void>;
}

export interface Watched {
  readonly baseUrl: string;
  readonly rules: RequestRules;
  readonly interruption: AbortSignal;
  readonly timeLimitMs: number;
  /** The moment from which the limit counts, in milliseconds of the monotonic clock; absent: now. */
  readonly timeLimitSinceMs?: number;
  /** Whether load stops at a target that answers 5xx to most requests; false for a target on this machine. */
  readonly stopsOnServerErrors: boolean;
  /** The most that may be sent; absent: no limit. */
  readonly limits?: LoadLimits;
}

/** Counts what is sent, and stops the load when it must not go on. */
export function watchLoad(watched: Watched): LoadWatch {
  const { baseUrl, rules, interruption, timeLimitMs, stopsOnServerErrors, limits = {} } = watched;
  const { timeLimitSinceMs = monotonicNowMs() } = watched;
  const controller = new AbortController();
  const counts: LoadCounts = { sent: 0, over: 0, accepted: 0, refused: 0 };
  const latest = new LatestAnswers();
  const sentLoad = new SentLoad();
  const guard = new TargetGuard(baseUrl, rules);
  guard.gone.addEventListener("abort", () => controller.abort(guard.gone.reason));
  const excused = new Excused(guard);
  const answered = (status: number, request: string): void => {
    counts.over += 1;
    sentLoad.answered(request, status);
    if (excused.isOn && (status === 0 || status >= 500)) return;
    guard.answered(status);
    if (status === 0) return;
    if (status >= 200 && status < 300) counts.accepted += 1;
    if (status === 429) counts.refused += 1;
    latest.add(status >= 500);
    if (stopsOnServerErrors && latest.areMostlyBroken) {
      controller.abort(
        `the load was stopped: ${latest.broken} of the last ${latest.count} answers of the target were 5xx`,
      );
    }
  };
  const interrupt = (): void => controller.abort();
  interruption.addEventListener("abort", interrupt);
  if (interruption.aborted) interrupt();
  const limit = setTimeout(
    () => controller.abort(`the load was stopped at its time limit of ${timeLimitMs / 1_000} s`),
    Math.min(Math.max(0, timeLimitSinceMs + timeLimitMs - monotonicNowMs()), timerMsMax),
  );
  return {
    guard,
    counts,
    meter: {
      sent: (request) => {
        counts.sent += 1;
        sentLoad.sent(request);
        guard.sent(request);
      },
      answered,
      excuse: () => excused.begin(),
      isThere: () => guard.isThere(),
      whyTooMuch: (needed) => whyTooMuch(needed, sentLoad, limits),
    },
    cost: () => sentLoad.cost,
    signal: controller.signal,
    stop: async () => {
      clearTimeout(limit);
      interruption.removeEventListener("abort", interrupt);
      await guard.close();
    },
  };
}

/** Counts the faults of ours that last: meanwhile neither silence nor 5xx says anything. */
class Excused {
  readonly #guard: TargetGuard;
  #count = 0;

  constructor(guard: TargetGuard) {
    this.#guard = guard;
  }

  get isOn(): boolean {
    return this.#count > 0;
  }

  begin(): () => void {
    const end = this.#guard.excuse();
    this.#count += 1;
    return () => {
      this.#count -= 1;
      end();
    };
  }
}

/** Remembers which of the latest answers were 5xx. */
class LatestAnswers {
  readonly #ring = new Uint8Array(answersMax);
  #added = 0;
  broken = 0;

  get count(): number {
    return Math.min(this.#added, answersMax);
  }

  get areMostlyBroken(): boolean {
    return this.count >= answersMin && 2 * this.broken > this.count;
  }

  add(isBroken: boolean): void {
    const place = this.#added % answersMax;
    this.broken += Number(isBroken) - (this.#ring[place] ?? 0);
    this.#ring[place] = Number(isBroken);
    this.#added += 1;
  }
}

/** The longest timer of Node; a longer one would fire at once. */
const timerMsMax = 2_147_483_647;
