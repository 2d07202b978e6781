import { setMaxListeners } from "node:events";

import type { Capability, RequirementId } from "../openapi/index.ts";
import type { Outage, TargetGone } from "../reports/model.ts";
import { attemptsMax, withEarlier } from "./attempts.ts";
import { needsOf, realTimeOf } from "./check.ts";
import type { Check, CheckHeader } from "./check.ts";
import { notRun } from "./judge.ts";
import type { RequirementResult } from "./judge.ts";
import { openTarget } from "./open-target.ts";
import type { TargetSettings } from "./open-target.ts";
import { HarnessError } from "./outcome.ts";
import { runCheck, stoppedReason } from "./run-check.ts";
import { schedule } from "./schedule.ts";
import { selectChecks, selectRequirements } from "./select.ts";
import { Session } from "./session.ts";
import { once } from "./signal-once.ts";

/** What a run is to do: where the target is, which requirements are wanted, and how long a check may take. */
export interface RunSettings extends TargetSettings {
  /** The longest a check may take on a real clock, in milliseconds. */
  readonly timeBudgetMs: number;
  /** Ids or globs of requirements; absent or empty means all. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** Makes generated data and sequences repeatable. */
  readonly seed: number;
}

/** The header of a check, as it is listed and shown while it runs. */
export interface CheckSummary {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly needs: readonly Capability[];
  readonly realTimeMs: number;
}

/** What happens during a run, in order. A check that covers two requirements finishes with two results. */
export type RunEvent =
  | { readonly type: "planned"; readonly checks: number }
  | { readonly type: "started"; readonly check: CheckSummary }
  /** A running check does nothing until `untilMs`, in milliseconds since 1970. */
  | { readonly type: "waiting"; readonly check: string; readonly untilMs: number }
  | { readonly type: "finished"; readonly result: RequirementResult };

/** Who watches a run, and what stops it. */
export interface RunHooks {
  readonly onEvent?: (event: RunEvent) => void;
  readonly signal?: AbortSignal;
}

/** What a run found. */
export interface RunOutcome {
  readonly target: {
    readonly baseUrl: string;
    readonly endpointId: string;
    readonly capabilities: readonly Capability[];
  };
  /** One for each check and each selected requirement that it covers, in the order of the suite. */
  readonly results: readonly RequirementResult[];
  /** Whether its signal stopped it before every check had ended. */
  readonly interrupted: boolean;
  /** The times at which the target was away. */
  readonly outages: readonly Outage[];
  /** How the target stopped answering for good, where it did. */
  readonly targetGone?: TargetGone;
}

/**
 * Runs checks against a target, in this process: side by side, those that only judge what the others were answered
 * last. It ends within half a second of its signal, with what was decided by then.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED, ENDPOINT_UNKNOWN or NOTHING_SELECTED
 */
export async function runChecks(
  checks: readonly Check[],
  settings: RunSettings,
  { onEvent = () => undefined, signal }: RunHooks = {},
): Promise<RunOutcome> {
  const requirements = selectRequirements(settings.only ?? [], settings.skip ?? []);
  if (requirements.size === 0) {
    throw new HarnessError(
      "NOTHING_SELECTED",
      "--only and --skip leave no requirement to check",
      "`queueproof list` shows the ids.",
    );
  }
  const selected = selectChecks(checks, requirements);
  const target = await openTarget(settings);
  onEvent({ type: "planned", checks: selected.length });
  const session = new Session(target, settings.seed);
  session.onWaiting = (waiting) => onEvent({ type: "waiting", ...waiting });
  const run = new Run(session, { timeBudgetMs: settings.timeBudgetMs, onEvent, signal });
  // Every check under way listens to it.
  if (signal !== undefined) setMaxListeners(0, signal);
  try {
    await endedOrStopped(run.runAll(selected), signal);
  } finally {
    await session.close();
  }
  const results = selected.flatMap((check) => run.resultsOf(check));
  return {
    target: {
      baseUrl: target.baseUrl,
      endpointId: target.endpointId ?? "",
      capabilities: target.capabilities,
    },
    results: results.filter(({ covers }) => covers.some((id) => requirements.has(id))),
    interrupted: signal?.aborted === true,
    outages: session.outages,
    ...(session.targetGone !== undefined && { targetGone: session.targetGone }),
  };
}

/** The header of a check. */
export function summaryOf(check: CheckHeader): CheckSummary {
  const { name, title, covers } = check;
  return { name, title, covers, needs: needsOf(check), realTimeMs: realTimeOf(check) };
}

interface RunOptions {
  readonly timeBudgetMs: number;
  readonly onEvent: (event: RunEvent) => void;
  readonly signal: AbortSignal | undefined;
}

/** The checks of one run and what each of them found. */
class Run {
  readonly #session: Session;
  readonly #options: RunOptions;
  readonly #results = new Map<string, readonly RequirementResult[]>();

  constructor(session: Session, options: RunOptions) {
    this.#session = session;
    this.#options = options;
  }

  async runAll(checks: readonly Check[]): Promise<void> {
    const { acting, observing } = schedule(checks, this.#session, this.#options.timeBudgetMs);
    const undecided = await this.#sideBySide(acting);
    await this.#askAgain(undecided);
    await this.#sideBySide(observing);
  }

  /** The results of a check; where it never ended, that it was stopped. */
  resultsOf(check: Check): readonly RequirementResult[] {
    return (
      this.#results.get(check.name) ?? check.covers.map((id) => notRun(check, id, stoppedReason))
    );
  }

  /** Runs checks at once; returns those that were not decided and may be when they are run again. */
  async #sideBySide(checks: readonly Check[]): Promise<readonly Check[]> {
    const open = await Promise.all(checks.map(async (check) => this.#run(check, { attempt: 1 })));
    return checks.filter((_check, at) => open[at] === true);
  }

  /** Runs each check by itself, as often as it may be, until it is decided. */
  async #askAgain(checks: readonly Check[]): Promise<void> {
    for (const check of checks) {
      for (let attempt = 2; await this.#run(check, { attempt }); attempt += 1);
    }
  }

  /** Runs a check; returns whether it was not decided and is to be run again. */
  async #run(check: Check, { attempt }: { readonly attempt: number }): Promise<boolean> {
    const { timeBudgetMs, onEvent, signal } = this.#options;
    const { results, isWorthRepeating } = await runCheck(check, this.#session, {
      timeBudgetMs,
      signal,
      isAlone: attempt > 1,
      onStarted: () => onEvent({ type: "started", check: summaryOf(check) }),
    });
    const before = this.#results.get(check.name) ?? [];
    const told = results.map((result, at) => {
      const last = before[at];
      return last === undefined ? result : withEarlier(last, result);
    });
    this.#results.set(check.name, told);
    const isOver = signal?.aborted === true || this.#session.targetGone !== undefined;
    const isLast = isOver || check.observes === true || attempt === attemptsMax;
    if (isOpen(told) && isWorthRepeating && !isLast) return true;
    for (const result of told) onEvent({ type: "finished", result });
    return false;
  }
}

/** Whether a check has not been decided: nothing failed, and something may have. */
function isOpen(results: readonly RequirementResult[]): boolean {
  const verdicts = new Set(results.map(({ verdict }) => verdict));
  return verdicts.has("inconclusive") && !verdicts.has("fail");
}

/** How long checks may take to end after the run was stopped, in milliseconds; then they are left alone. */
const stoppingMsMax = 500;

/** Resolves when the run has ended, or some time after its signal where a check does not end. */
async function endedOrStopped(run: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return run;
  const stopped = once();
  let timer: NodeJS.Timeout | undefined;
  const stopSoon = (): void => {
    timer = setTimeout(stopped.happen, stoppingMsMax);
  };
  if (signal.aborted) stopSoon();
  else signal.addEventListener("abort", stopSoon, { once: true });
  try {
    await Promise.race([run, stopped.happened]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stopSoon);
  }
}
