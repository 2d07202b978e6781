import { setMaxListeners } from "node:events";

import type { Capability, RequirementId } from "../openapi/index.ts";
import type { Outage, TargetGone } from "../reports/model.ts";
import { attemptsMax, withEarlier } from "./attempts.ts";
import { needsOf, realTimeOf } from "./check.ts";
import type { Check, CheckHeader } from "./check.ts";
import { notRun } from "./judge.ts";
import type { RequirementResult } from "./judge.ts";
import { whyNotTried } from "./obstacles.ts";
import { openTarget } from "./open-target.ts";
import type { TargetSettings } from "./open-target.ts";
import { HarnessError, firstFailure, reasonOfStop } from "./outcome.ts";
import { tryJobs } from "./preflight.ts";
import { runCheck } from "./run-check.ts";
import { schedule } from "./schedule.ts";
import { selectChecks, selectRequirements } from "./select.ts";
import { Session } from "./session.ts";
import type { HeldMs } from "./endpoint/endpoint-lease.ts";
import { endpointIdsOf, workersSeenBy } from "./endpoint/shared-endpoints.ts";
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
  /** Whether the run ends at the first failure. */
  readonly failFast?: boolean;
  /** The names of the checks that are run before all others. */
  readonly first?: readonly string[];
  /** How much is known of the target when a check has ended: where it costs no time, the one that tells most begins. */
  readonly informationOf?: (check: string) => number;
}

/** The header of a check, as it is listed and shown while it runs. */
export interface CheckSummary {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly needs: readonly Capability[];
  readonly realTimeMs: number;
}

/**
 * What happens during a run, in order. A check that covers two requirements finishes with two results; one that is not
 * tried finishes without having been planned.
 */
export type RunEvent =
  /** So many checks are to be tried. Contract and load plan one after the other. */
  | {
      readonly type: "planned";
      readonly checks: number;
      /** What is to be tried on which endpoints, where checks share them on a real clock. */
      readonly sharing?: { readonly names: readonly string[]; readonly workers: readonly number[] };
    }
  /** One that was planned is not tried after all. */
  | { readonly type: "left-out"; readonly check: string }
  | { readonly type: "started"; readonly check: CheckSummary }
  /** A running check does nothing until `untilMs`, in milliseconds since 1970. */
  | { readonly type: "waiting"; readonly check: string; readonly untilMs: number }
  /** A check has ended. */
  | {
      readonly type: "ended";
      readonly check: string;
      readonly attempt: number;
      /** Whether it is run again, by itself, once all others have ended. */
      readonly isToRepeat: boolean;
      readonly heldMs: HeldMs;
    }
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
  /** Whether it ended at its first failure, as it was to. */
  readonly failedFast?: boolean;
}

/**
 * Runs checks against a target, in this process: side by side, those that only judge what the others were answered
 * last. It ends within half a second of its signal, with what was decided by then.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED, ENDPOINT_UNKNOWN, NOTHING_SELECTED or JOBS_UNTRUE
 */
export async function runChecks(
  checks: readonly Check[],
  settings: RunSettings,
  { onEvent = () => undefined, signal = new AbortController().signal }: RunHooks = {},
): Promise<RunOutcome> {
  const requirements = demandRequirements(settings);
  const selected = selectChecks(checks, requirements);
  const target = await openTarget(settings);
  const session = new Session(target, settings.seed);
  const isTried = (check: Check): boolean =>
    check.covers.some((id) => whyNotTried(check, id, { session, ...settings }) === undefined);
  const tried = selected.filter(isTried);
  const sharing = {
    names: tried.map(({ name }) => name),
    workers: workersSeenBy(target),
  };
  onEvent({ type: "planned", checks: tried.length, ...(!session.isolated && { sharing }) });
  session.onWaiting = (waiting) => onEvent({ type: "waiting", ...waiting });
  const run = new Run(session, { ...settings, requirements }, { onEvent, signal });
  try {
    if (target.jobs !== undefined) await tryJobs(session, target.jobs, signal);
    await endedOrStopped(run.runAll(selected), run.stop);
  } finally {
    run.end();
    await session.close();
  }
  const results = selected.flatMap((check) => run.resultsOf(check));
  return {
    target: {
      baseUrl: target.baseUrl,
      endpointId: endpointIdsOf(target).join(","),
      capabilities: target.capabilities,
    },
    results: results.filter(({ covers }) => covers.some((id) => requirements.has(id))),
    interrupted: signal.aborted,
    outages: session.outages,
    ...(session.targetGone !== undefined && { targetGone: session.targetGone }),
    ...(run.failedFast && { failedFast: true }),
  };
}

/** @throws HarnessError NOTHING_SELECTED */
function demandRequirements({ only = [], skip = [] }: RunSettings): ReadonlySet<RequirementId> {
  const requirements = selectRequirements(only, skip);
  if (requirements.size > 0) return requirements;
  throw new HarnessError(
    "NOTHING_SELECTED",
    "--only and --skip leave no requirement to check",
    "`queueproof list` shows the ids.",
  );
}

/** The header of a check. */
export function summaryOf(check: CheckHeader): CheckSummary {
  const { name, title, covers } = check;
  return { name, title, covers, needs: needsOf(check), realTimeMs: realTimeOf(check) };
}

interface SelectedSettings extends RunSettings {
  readonly requirements: ReadonlySet<RequirementId>;
}

/** The checks of one run and what each of them found. */
class Run {
  /** Ends every check under way: the run was stopped, or it has failed and was to end then. */
  readonly stop: AbortSignal;
  readonly #session: Session;
  readonly #settings: SelectedSettings;
  readonly #onEvent: (event: RunEvent) => void;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  #failedFast = false;
  readonly #results = new Map<string, readonly RequirementResult[]>();

  constructor(
    session: Session,
    settings: SelectedSettings,
    { onEvent, signal }: Required<RunHooks>,
  ) {
    this.#session = session;
    this.#settings = settings;
    this.#onEvent = onEvent;
    this.stop = this.#stopping.signal;
    // Every check under way listens to it.
    setMaxListeners(0, this.stop);
    this.#signal = signal;
    // Not AbortSignal.any: Node keeps such a signal, and with it the whole run, for as long as something listens to it.
    if (signal.aborted) this.#follow();
    signal.addEventListener("abort", this.#follow, { once: true });
  }

  readonly #follow = (): void => {
    this.#stopping.abort(this.#signal.reason);
  };

  /** To be called at its end: the caller's signal knows the run no longer. */
  end(): void {
    this.#signal.removeEventListener("abort", this.#follow);
  }

  /** Whether it has ended at its first failure. */
  get failedFast(): boolean {
    return this.#failedFast;
  }

  async runAll(checks: readonly Check[]): Promise<void> {
    const { acting, observing } = schedule(checks, this.#session, this.#settings);
    const { first = [] } = this.#settings;
    const isFirst = ({ name }: Check): boolean => first.includes(name);
    const undecided = await this.#sideBySide(acting.filter(isFirst));
    undecided.push(...(await this.#sideBySide(acting.filter((check) => !isFirst(check)))));
    await this.#askAgain(undecided);
    await this.#sideBySide(observing);
  }

  /** The results of a check; where it never ended, that it was stopped. */
  resultsOf(check: Check): readonly RequirementResult[] {
    const reason = reasonOfStop(this.stop);
    return this.#results.get(check.name) ?? check.covers.map((id) => notRun(check, id, reason));
  }

  /** Runs checks at once; returns those that were not decided and may be when they are run again. */
  async #sideBySide(checks: readonly Check[]): Promise<Check[]> {
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
    const { timeBudgetMs, failFast = false, requirements } = this.#settings;
    const signal = this.stop;
    const { results, isWorthRepeating, heldMs } = await runCheck(check, this.#session, {
      timeBudgetMs,
      signal,
      isAlone: attempt > 1,
      onStarted: () => this.#onEvent({ type: "started", check: summaryOf(check) }),
    });
    const told = this.#keep(check, results);
    const isOver = signal.aborted || this.#session.targetGone !== undefined;
    const isLast = isOver || check.observes === true || attempt === attemptsMax;
    const isToRepeat = isOpen(told) && isWorthRepeating && !isLast;
    if (heldMs !== undefined) {
      this.#onEvent({ type: "ended", check: check.name, attempt, isToRepeat, heldMs });
    }
    if (isToRepeat) return true;
    for (const result of told) this.#onEvent({ type: "finished", result });
    // Nothing is told of a requirement that was not selected.
    const isFailure = ({ verdict, covers }: RequirementResult): boolean =>
      verdict === "fail" && covers.some((id) => requirements.has(id));
    if (failFast && told.some((result) => isFailure(result))) this.#stopAtFailure();
    return false;
  }

  #stopAtFailure(): void {
    if (this.stop.aborted) return;
    this.#failedFast = true;
    this.#stopping.abort(firstFailure());
  }

  /** Keeps what a check has found, each result with those of its attempts before. */
  #keep(check: Check, results: readonly RequirementResult[]): readonly RequirementResult[] {
    const before = this.#results.get(check.name) ?? [];
    const told = results.map((result, at) => {
      const last = before[at];
      return last === undefined ? result : withEarlier(last, result);
    });
    this.#results.set(check.name, told);
    return told;
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
async function endedOrStopped(run: Promise<void>, signal: AbortSignal): Promise<void> {
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
