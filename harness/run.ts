import { setMaxListeners } from "node:events";

import { monotonicNowMs } from "../client/exchange.ts";
import type { Capability } from "../openapi/capabilities.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { Fact, Outage, TargetGone } from "../reports/model.ts";
import { isJobKind } from "../openapi/capabilities.ts";
import { needsOf, realTimeOf } from "./check.ts";
import type { Check, CheckHeader } from "./check.ts";
import { notRunResult } from "./judge.ts";
import { learnDiscredited } from "./discovery/discredited.ts";
import { learnPace } from "./judge-pace.ts";
import type { RequirementResult } from "./judge.ts";
import { whyNotTried } from "./obstacles.ts";
import { leaving } from "./leaving.ts";
import { aloneWhereOneJob } from "./send-on-real-clock.ts";
import { openTarget } from "./open-target.ts";
import type { TargetSettings } from "./target.ts";
import { HarnessError, Inconclusive, firstFailure, reasonOfStop } from "./outcome.ts";
import { startWorker, tryJobs } from "./preflight.ts";
import { runCheck } from "./run-check.ts";
import type { ContractCheckRun } from "./run-check.ts";
import { Runner } from "./runner.ts";
import type { EndedAttempt, Round } from "./runner.ts";
import { partsAgain, partsAtFirst, schedule } from "./schedule.ts";
import { selectChecks, selectRequirements } from "./select.ts";
import { Session } from "./session.ts";
import type { HeldMs } from "./endpoint/endpoint-lease.ts";
import { endpointIdsOf, sharingOf } from "./endpoint/shared-endpoints.ts";
import type { CheckSummary, RunEvent, RunHooks } from "./run-events.ts";
import { resultsOf, resultsUnderBroken, resultsUnderCauses } from "./discovery/results.ts";
import { createDeferred } from "./deferred.ts";

/** The settings of a run: where the target is, which requirements are wanted, and how long a check may take. */
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
  /** The longest the run may take, in milliseconds; absent: what its plan allows. */
  readonly timeLimitMs?: number;
  /** Since when that counts, on the clock of `monotonicNowMs`; absent: since the run was begun. */
  readonly timeLimitSinceMs?: number;
  /** How long checks take on a real clock. Absent: as long as they wait, one after another. */
  readonly planner?: Planner;
}

/** Tells how long checks take on a real clock, in milliseconds, where the target keeps nobody waiting. */
export interface Planner {
  readonly expectedMs: (checks: readonly Check[], session: Session) => number;
  /** For how long one of them holds its endpoint, where it stalls no workers. */
  readonly heldMs: (check: Check, session: Session) => number;
}

export interface RunOutcome {
  readonly target: {
    readonly baseUrl: string;
    readonly endpointId: string;
    readonly capabilities: readonly Capability[];
  };
  /** One for each check and each selected requirement that it covers, in the order of the suite. */
  readonly results: readonly RequirementResult[];
  /** What was learned of the target before it was judged. */
  readonly facts?: readonly Fact[];
  /** Whether its signal stopped it before every check had ended. */
  readonly interrupted: boolean;
  /** The times at which the target was away. */
  readonly outages: readonly Outage[];
  /** How the target stopped answering for good, where it did. */
  readonly targetGone?: TargetGone;
  /** Whether it ended at its first failure, as `failFast` asks. */
  readonly failedFast?: boolean;
}

/**
 * Runs checks against a target, in this process and side by side; those that only judge what the others observed run
 * last. It ends within half a second of its signal, with what was decided by then.
 * @throws HarnessError NOTHING_SELECTED, or one of `openTarget`
 */
export async function runChecks(
  checks: readonly Check[],
  settings: RunSettings,
  { onEvent: tell = () => undefined, signal = new AbortController().signal }: RunHooks = {},
): Promise<RunOutcome> {
  const { timeLimitMs: ms, timeLimitSinceMs: sinceMs = monotonicNowMs() } = settings;
  const limit = ms === undefined ? undefined : { ms, sinceMs };
  const requirements = demandRequirements(settings);
  const target = await openTarget(settings);
  const session = new Session(target, settings.seed);
  const { discovery } = session;
  const selected = aloneWhereOneJob(selectChecks(checks, requirements), discovery);
  const onEvent = (event: RunEvent): void => tell(leaving(event, discovery.redactor));
  const isSelected = (each: RequirementResult) => each.covers.some((id) => requirements.has(id));
  tellLearned(session, (event) => {
    if (event.type !== "finished" || isSelected(event.result)) onEvent(event);
  });
  session.pace.onSlowed = (perSecond) => onEvent({ type: "slowed", perSecond });
  const isTried = (check: Check): boolean =>
    check.covers.some((id) => whyNotTried(check, id, { session, ...settings }) === undefined);
  const tried = selected.filter(isTried);
  const sharing = {
    names: tried.map(({ name }) => name),
    ...sharingOf(target),
  };
  onEvent({ type: "planned", checks: tried.length, ...(!session.isolated && { sharing }) });
  session.onBound = (untilMs) => onEvent({ type: "bounded", untilMs });
  const bound = (): void => session.bound.plan(expectedMsOf(tried, session, settings), limit);
  bound();
  session.onWaiting = (waiting) => onEvent({ type: "waiting", ...waiting });
  const run = new Run(session, { ...settings, requirements }, { onEvent, signal });
  let interrupted = false;
  try {
    await beforeChecks(session, tried, { onEvent, signal, timeBudgetMs: settings.timeBudgetMs });
    bound();
    await run.runAll(selected);
    interrupted = run.isInterrupted;
  } finally {
    run.end();
    await session.close();
  }
  learnPace(session);
  const results = run.resultsInTheEnd(selected);
  const outcome: RunOutcome = {
    target: {
      baseUrl: target.baseUrl,
      endpointId: endpointIdsOf(target).join(","),
      capabilities: target.capabilities,
    },
    results: results.filter(isSelected),
    facts: discovery.facts,
    interrupted,
    outages: session.outages,
    ...(session.targetGone !== undefined && { targetGone: session.targetGone }),
    ...(run.failedFast && { failedFast: true }),
  };
  return leaving(outcome, discovery.redactor);
}

function tellLearned(
  { discovery, target, dialect }: Session,
  onEvent: Required<RunHooks>["onEvent"],
): void {
  discovery.tolerates = (difference) => dialect.tolerates(difference);
  if (target.discovers !== false) {
    onEvent({ type: "learned", facts: discovery.facts, ...discovery.cost });
    for (const result of resultsOf(discovery)) onEvent({ type: "finished", result });
  }
  discovery.onLearning = (learning, fact) => {
    onEvent({ type: "learned-later", fact });
    for (const result of resultsOf(discovery, [learning])) onEvent({ type: "finished", result });
  };
  discovery.onGrown = (learning) => {
    for (const result of resultsOf(discovery, [learning])) onEvent({ type: "finished", result });
  };
}

function expectedMsOf(tried: readonly Check[], session: Session, { planner }: RunSettings): number {
  if (planner !== undefined) return planner.expectedMs(tried, session);
  return tried.reduce((sumMs, check) => sumMs + realTimeOf(check), 0);
}

/** Tries the kinds of job that any of these checks needs, or has a worker start for them, before the first of them. */
async function beforeChecks(
  session: Session,
  tried: readonly Check[],
  { onEvent, signal, timeBudgetMs }: Required<RunHooks> & Pick<RunSettings, "timeBudgetMs">,
): Promise<void> {
  const { ownJobs } = session;
  const kinds = new Set(tried.flatMap((check) => needsOf(check)).filter((need) => isJobKind(need)));
  if (kinds.size === 0) return;
  try {
    if (ownJobs !== undefined) await tryJobs(session, { jobs: ownJobs, kinds }, signal);
    else if (!session.isolated && session.offers("handler")) {
      await startWorker(session, timeBudgetMs, signal);
    }
  } catch (error) {
    // A target that goes away now, or lacks what this needs, is found out by the checks, which end with that reason.
    if (!(error instanceof Inconclusive)) throw error;
  }
  if (ownJobs !== undefined) onEvent({ type: "tried-jobs", seen: ownJobs.seen });
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

export function summaryOf(check: CheckHeader): CheckSummary {
  const { name, title, covers } = check;
  return { name, title, covers, needs: needsOf(check), realTimeMs: realTimeOf(check) };
}

interface SelectedSettings extends RunSettings {
  readonly requirements: ReadonlySet<RequirementId>;
}

/** The checks of one run and what each of them found. */
class Run {
  /** Ends every check under way: the run was stopped, or failed and was to end at its first failure. */
  readonly stop: AbortSignal;
  readonly #session: Session;
  readonly #settings: SelectedSettings;
  readonly #onEvent: (event: RunEvent) => void;
  readonly #stopping = new AbortController();
  readonly #signal: AbortSignal;
  readonly #runner: Runner<Check, ContractCheckRun>;
  /** Whether it has ended at its first failure. */
  failedFast = false;
  /** Whether a signal came before all checks had ended. */
  isInterrupted = false;

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
    this.#runner = new Runner({
      roundOf: (checks, attempt) => this.#roundOf(checks, attempt),
      onEnded: (check, ran, ended) => this.#tell(check, ran, ended),
      signal: this.stop,
    });
  }

  readonly #follow = (): void => {
    this.#stopping.abort(this.#signal.reason);
  };

  /** To be called at the end: removes the run's listener from the caller's signal. */
  end(): void {
    this.#signal.removeEventListener("abort", this.#follow);
  }

  async runAll(checks: readonly Check[]): Promise<void> {
    const { acting, observing } = schedule(checks, this.#session);
    await endedOrStopped(this.#runner.runAll(acting), this.stop);
    this.isInterrupted = this.#signal.aborted;
    // These send nothing, and judge what was observed by then.
    if (!this.failedFast) await this.#runner.runAll(observing);
    // What came of the checks of webhooks is told by it.
    if (!this.stop.aborted) await this.#session.webhooks.known();
  }

  /** The results of all checks, and of what was learned, in the light of all of them. */
  resultsInTheEnd(checks: readonly Check[]): readonly RequirementResult[] {
    const { discovery, target } = this.#session;
    const ofChecks = (): readonly RequirementResult[] =>
      checks.flatMap((check) => this.resultsOf(check));
    if (target.discovers !== false) learnDiscredited(discovery, ofChecks());
    return resultsUnderBroken([...resultsOf(discovery), ...ofChecks()]);
  }

  /** The results of a check; where it never ended, they are not-run with the reason of the stop. */
  resultsOf(check: Check): readonly RequirementResult[] {
    const reason = reasonOfStop(this.stop);
    const ran = this.#runner.ranOf(check);
    const { discovery } = this.#session;
    const results = ran?.results ?? check.covers.map((id) => notRunResult(check, id, reason));
    // More may have been learned since it was judged.
    return resultsUnderCauses(results, discovery, { needs: needsOf(check), isLast: true });
  }

  #roundOf(checks: readonly Check[], attempt: number): Round<Check, ContractCheckRun> {
    const { first = [], timeBudgetMs } = this.#settings;
    const heldOf = (check: Check): HeldMs | undefined => this.#runner.ranOf(check)?.heldMs;
    const parts = attempt === 1 ? partsAtFirst(checks, first) : partsAgain(checks, attempt, heldOf);
    return {
      turns: parts.map((part) => part.map((check) => [check])),
      run: async (check, isTurnAlone) =>
        runCheck(check, this.#session, {
          timeBudgetMs,
          signal: this.stop,
          isAlone: isTurnAlone && attempt > 1,
          onStarted: () => this.#onEvent({ type: "started", check: summaryOf(check) }),
        }),
    };
  }

  #tell(check: Check, { results, heldMs }: ContractCheckRun, ended: EndedAttempt): void {
    const { name } = check;
    if (heldMs !== undefined && results.every(({ verdict }) => verdict === "pass")) {
      this.#learnHowLate(check, heldMs);
    }
    if (heldMs !== undefined) this.#onEvent({ type: "ended", check: name, ...ended, heldMs });
    if (ended.isToRepeat) return;
    for (const result of results) this.#onEvent({ type: "finished", result });
    const { failFast = false, requirements } = this.#settings;
    // Only requirements that were selected count: the others are not reported.
    const isFailure = ({ verdict, covers }: RequirementResult): boolean =>
      verdict === "fail" && covers.some((id) => requirements.has(id));
    if (failFast && results.some((result) => isFailure(result))) this.#stopAtFailure();
  }

  /** A check that passed took the time that it needs on this target; in a stall that is the time of others, too. */
  #learnHowLate(check: Check, { sharing, alone }: HeldMs): void {
    const { planner } = this.#settings;
    if (planner === undefined || check.stalls === true) return;
    this.#session.bound.passedLate(sharing + alone - planner.heldMs(check, this.#session));
  }

  #stopAtFailure(): void {
    if (this.stop.aborted) return;
    this.failedFast = true;
    this.#stopping.abort(firstFailure());
  }
}

/** How long a stopped run waits for its checks to end, in milliseconds. */
const stoppingMsMax = 500;

/** Resolves when the run has ended, or some time after its signal where a check does not end. */
async function endedOrStopped(run: Promise<void>, signal: AbortSignal): Promise<void> {
  const stopped = createDeferred();
  let timer: NodeJS.Timeout | undefined;
  const stopSoon = (): void => {
    timer = setTimeout(stopped.resolve, stoppingMsMax);
  };
  if (signal.aborted) stopSoon();
  else signal.addEventListener("abort", stopSoon, { once: true });
  try {
    await Promise.race([run, stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stopSoon);
  }
}
