import type { CheckAttempt } from "../reports/model.ts";
import type { Verdict } from "../reports/verdict.ts";
import type { CheckHeader } from "./check.ts";
import type { RequirementResult } from "./judge.ts";

/** How often a check is run at most: one that was inconclusive is run up to twice more. */
export const attemptsMax = 3;

interface Attempt extends Omit<CheckAttempt, "reason"> {
  readonly reason?: string;
  readonly attempts?: readonly CheckAttempt[] | undefined;
}

/** Why what passed was tried again. */
const besideUndecided = "another requirement of its check was not decided";

/** Returns the result of a later attempt, with the inconclusive attempts before it. */
export function withEarlier<Result extends Attempt>(earlier: Attempt, later: Result): Result {
  const { verdict, durationMs, attempts = [] } = earlier;
  const { reason = verdict === "pass" ? besideUndecided : "" } = earlier;
  return { ...later, attempts: [...attempts, { verdict, reason, durationMs }] };
}

/** Whether a stop of the run cut this attempt off; the result of an earlier one then counts instead. */
export function isCutOff(
  { verdict }: { readonly verdict: Verdict },
  signal: AbortSignal | undefined,
): boolean {
  return signal?.aborted === true && (verdict === "inconclusive" || verdict === "not-run");
}

/** Lanes of checks: the lanes run side by side, the checks of a lane one after the other. */
export type Turn<Header> = readonly (readonly Header[])[];

/** What a check found when it was run once. */
export interface CheckRun {
  /** One for each requirement it covers. */
  readonly results: readonly RequirementResult[];
  /** Whether it may be decided when it is run again. */
  readonly isWorthRepeating: boolean;
}

/** One attempt at some checks. */
export interface Round<Header, Ran extends CheckRun> {
  /** Each begins when the one before is over. */
  readonly turns: readonly Turn<Header>[];
  /** Runs one check to its end and judges it; `isAlone`: no other lane runs meanwhile. Never rejects. */
  readonly run: (check: Header, isAlone: boolean) => Promise<Ran>;
  /** Called when a turn is over. */
  readonly tidy?: () => Promise<void>;
  /** Called at the end, also where something throws. */
  readonly close?: () => Promise<void>;
}

/** How one attempt at a check ended. */
export interface EndedAttempt {
  /** From 1. */
  readonly attempt: number;
  /** Whether it is to be run again. */
  readonly isToRepeat: boolean;
}

type MaybeRound<Header, Ran extends CheckRun> = Round<Header, Ran> | undefined;

interface RunnerOptions<Header, Ran extends CheckRun> {
  /** Returns how checks are run at an attempt, counted from 1; `undefined` where they are not run again. */
  readonly roundOf: (
    checks: readonly Header[],
    attempt: number,
  ) => MaybeRound<Header, Ran> | Promise<MaybeRound<Header, Ran>>;
  /** Called with what a check has found so far, all its attempts together. */
  readonly onEnded: (check: Header, ran: Ran, ended: EndedAttempt) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Runs checks in turns, runs those again that were not decided, and keeps what each has found. */
export class Runner<Header extends CheckHeader, Ran extends CheckRun> {
  readonly #options: RunnerOptions<Header, Ran>;
  readonly #ran = new Map<string, Ran>();

  constructor(options: RunnerOptions<Header, Ran>) {
    this.#options = options;
  }

  /** Runs checks until each is decided, or was run as often as it may be. */
  async runAll(checks: readonly Header[]): Promise<void> {
    let undecided = checks;
    for (let attempt = 1; undecided.length > 0; attempt += 1) {
      undecided = await this.#runRound(undecided, attempt);
    }
  }

  /** What a check has found; `undefined` while it has not ended. */
  ranOf({ name }: Header): Ran | undefined {
    return this.#ran.get(name);
  }

  /** Runs checks once; returns those that are to be run again. */
  async #runRound(checks: readonly Header[], attempt: number): Promise<readonly Header[]> {
    const round = await this.#options.roundOf(checks, attempt);
    if (round === undefined) return [];
    const repeated = new Set<Header>();
    const runLane = async (lane: readonly Header[], isAlone: boolean): Promise<void> => {
      for (const check of lane) {
        const ran = await round.run(check, isAlone);
        if (this.#keep(check, ran, attempt)) repeated.add(check);
      }
    };
    try {
      for (const turn of round.turns) {
        await Promise.all(turn.map(async (lane) => runLane(lane, turn.length === 1)));
        await round.tidy?.();
      }
    } finally {
      await round.close?.();
    }
    return checks.filter((check) => repeated.has(check));
  }

  /** Keeps what a check has found; returns whether it is to be run again. */
  #keep(check: Header, last: Ran, attempt: number): boolean {
    const { signal, onEnded } = this.#options;
    const before = this.#ran.get(check.name);
    const ran = before === undefined ? last : laterOf(before, last, signal);
    this.#ran.set(check.name, ran);
    const isLast = attempt === attemptsMax || signal?.aborted === true;
    const isToRepeat = !isLast && last.isWorthRepeating && isOpen(ran.results);
    onEnded(check, ran, { attempt, isToRepeat });
    return isToRepeat;
  }
}

/** The later of two attempts, whose results list the earlier ones; the earlier one if a stop cut the later one off. */
function laterOf<Ran extends CheckRun>(
  before: Ran,
  last: Ran,
  signal: AbortSignal | undefined,
): Ran {
  if (last.results.every((result) => isCutOff(result, signal))) return before;
  const results = last.results.map((result, at) => {
    const earlier = before.results[at];
    return earlier === undefined ? result : withEarlier(earlier, result);
  });
  return { ...last, results };
}

/** Whether a check is undecided: no result failed, and at least one is inconclusive. */
function isOpen(results: readonly RequirementResult[]): boolean {
  const verdicts = new Set(results.map(({ verdict }) => verdict));
  return verdicts.has("inconclusive") && !verdicts.has("fail");
}
