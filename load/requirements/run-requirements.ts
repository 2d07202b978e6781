import { attemptsMax, withEarlier } from "../../harness/attempts.ts";
import { describeMismatch, notRun } from "../../harness/judge.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import { obstacleOf } from "../../harness/obstacles.ts";
import { reasonOfStop, stopReason } from "../../harness/outcome.ts";
import { selectChecks } from "../../harness/select.ts";
import { endOf, verdictOf } from "../../harness/verdict.ts";
import type { EarlyEnd, Judgement } from "../../harness/verdict.ts";
import type { RequirementId, Tier } from "../../openapi/index.ts";
import type { LimiterIdentification, LoadSamples } from "../../reports/model.ts";
import type { LoadMeter } from "../meter.ts";
import { neededOf } from "../sent-load.ts";
import { obstacleToEngine } from "../engine-obstacles.ts";
import { clearedTogether } from "./clear-jobs.ts";
import type { Cleared } from "./clear-jobs.ts";
import type { LoadCheck } from "./check.ts";
import { loadChecks } from "./checks.ts";
import { expectTraces } from "./exhaustion.ts";
import { LoadFindings } from "./findings.ts";
import type { CheckFigures } from "./findings.ts";
import { LoadSession, situationOf } from "./load-session.ts";
import type { LoadTarget } from "./load-session.ts";
import type { Situation } from "./situation.ts";
import { turnsOf } from "./turns.ts";
import { tiers } from "../../openapi/index.ts";

/** The figures of one check, as a report's `load` holds them. */
export interface LoadFigures {
  readonly scenario: string;
  readonly engine: "probe";
  readonly figures: Readonly<CheckFigures>;
  readonly requirements: readonly RequirementId[];
  readonly samples?: readonly LoadSamples[];
  readonly limiter?: LimiterIdentification;
}

export interface RequirementsRun {
  readonly results: readonly RequirementResult[];
  readonly load: readonly LoadFigures[];
  /** How many requests went out. */
  readonly sent: number;
  /** What was cleaned up on the endpoint that all checks share. */
  readonly cleared: Cleared;
}

export interface RequirementsOptions {
  readonly target: LoadTarget;
  readonly requirements: ReadonlySet<RequirementId>;
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  readonly signal?: AbortSignal;
  readonly meter?: LoadMeter;
  readonly onStarted?: (check: LoadCheck) => void;
  readonly onFinished?: (result: RequirementResult) => void;
}

/**
 * Decides the requirements of rate and concurrency one after the other, so that none disturbs another.
 * What could not be decided is tried again, up to twice, and nothing that was recorded before is used.
 */
export async function runRequirements(options: RequirementsOptions): Promise<RequirementsRun> {
  let run = await runOnce(options);
  for (let attempt = 2; attempt <= attemptsMax; attempt += 1) {
    const undecided = run.results.filter(
      ({ name, verdict }) =>
        verdict === "inconclusive" &&
        tooMuchOf(name, options, situationOf(options.target)) === undefined,
    );
    if (undecided.length === 0 || options.signal?.aborted === true) break;
    // A target that is away for a while is asked again when it is back.
    if ((await options.meter?.isThere()) === false) break;
    const names = new Set(undecided.map(({ name }) => name));
    const again = await runOnce(options, names);
    run = together(run, again, options.signal);
  }
  return run;
}

/** Why a check does not fit into what may still be sent. */
function tooMuchOf(
  name: string,
  { meter }: RequirementsOptions,
  on: Situation,
): string | undefined {
  const check = loadChecks.find((each) => each.name === name);
  return check === undefined ? undefined : meter?.whyTooMuch?.(neededOf(check.cost(on)));
}

/** The results of a later run in the place of the earlier ones, unless a stop cut them off. */
function together(
  earlier: RequirementsRun,
  later: RequirementsRun,
  signal: AbortSignal | undefined,
): RequirementsRun {
  const isCut = ({ verdict }: RequirementResult): boolean =>
    signal?.aborted === true && (verdict === "inconclusive" || verdict === "not-run");
  const next = new Map(
    later.results.filter((result) => !isCut(result)).map((result) => [result.name, result]),
  );
  return {
    results: earlier.results.map((before) => {
      const after = next.get(before.name);
      return after === undefined ? before : withEarlier(before, after);
    }),
    load: [
      ...earlier.load.filter(({ scenario }) => !next.has(scenario)),
      ...later.load.filter(({ scenario }) => next.has(scenario)),
    ],
    sent: earlier.sent + later.sent,
    cleared: clearedTogether([earlier.cleared, later.cleared]),
  };
}

/** Runs the checks of the requirements, or those of these names alone, once. */
async function runOnce(
  options: RequirementsOptions,
  names?: ReadonlySet<string>,
): Promise<RequirementsRun> {
  const { target, requirements, signal } = options;
  const session = new LoadSession(target, signal, options.meter);
  const checks = selectChecks(loadChecks, requirements).filter(
    ({ name }) => names?.has(name) !== false,
  );
  const traced = tracedTiers(new Set(checks.flatMap(({ covers }) => covers)));
  const fitting = traced.filter(
    ({ operation }) => tooMuchOf(`rate/limit-of-${operation}`, options, session) === undefined,
  );
  expectTraces(session, fitting);
  const results: RequirementResult[] = [];
  const load: LoadFigures[] = [];
  const runOne = async (check: LoadCheck, isAlone: boolean): Promise<void> => {
    const obstacle =
      signal?.aborted === true
        ? reasonOfStop(signal)
        : (obstacleToEngine("probe", session.rules, target.baseUrl) ??
          obstacleOf(check, session, options.timeBudgetMs) ??
          tooMuchOf(check.name, options, session));
    if (obstacle === undefined) options.onStarted?.(check);
    const { result, figures } =
      obstacle === undefined
        ? await runCheck(check, session, isAlone)
        : { result: notRun(check, check.covers[0], obstacle) };
    results.push(result);
    options.onFinished?.(result);
    if (figures !== undefined) load.push(figures);
  };
  const runAll = async (some: readonly LoadCheck[], isAlone: boolean): Promise<void> => {
    for (const check of some) await runOne(check, isAlone);
  };
  try {
    for (const lanes of turnsOf(checks, session)) {
      await Promise.all(lanes.map((lane) => runAll(lane, lanes.length === 1)));
      await session.tidy();
    }
    const { sent, cleared } = session;
    return { results, load, sent, cleared };
  } finally {
    await session.close();
  }
}

/** Requirements that look at the limit of every operation. */
const ofEveryLimit = ["RATE-09", "RATE-10", "RATE-11"] as const;

/** The operations whose limits the checks of some requirements look at. */
export function tracedTiers(requirements: ReadonlySet<RequirementId>): readonly Tier[] {
  const isEvery = ofEveryLimit.some((id) => requirements.has(id));
  return tiers.filter(
    ({ rate, operation }) =>
      isEvery || requirements.has(rate) || (operation === "cancel" && requirements.has("RATE-14")),
  );
}

function figuresOf(
  { name, covers }: LoadCheck,
  { figures, samples, limiter }: LoadFindings,
): LoadFigures {
  return {
    scenario: name,
    engine: "probe",
    figures,
    requirements: covers,
    ...(samples.length === 0 ? {} : { samples }),
    ...(limiter === undefined ? {} : { limiter }),
  };
}

interface Ended {
  readonly result: RequirementResult;
  readonly figures?: LoadFigures;
}

async function runCheck(check: LoadCheck, session: LoadSession, isAlone: boolean): Promise<Ended> {
  const findings = new LoadFindings(check.covers[0], session);
  const beganMs = performance.now();
  const sentBefore = session.sent;
  const end = await endOf(async () => check.run(session, findings));
  // What goes out beside other checks cannot be told from what they send.
  if (isAlone) findings.figures["requests"] = session.sent - sentBefore;
  const { name, title, covers } = check;
  const { readings, mismatches, evidence } = findings;
  const durationMs = Math.round(performance.now() - beganMs);
  const found = { readings, mismatches, deviations: [], evidence } as const;
  const judgement = judgementOf(end, findings, session.signal);
  return {
    result: { name, title, covers, durationMs, ...judgement, ...found },
    figures: figuresOf(check, findings),
  };
}

function judgementOf(
  end: EarlyEnd,
  { requirement, mismatches: [first], comparisons }: LoadFindings,
  signal: AbortSignal | undefined,
): Judgement {
  // What a check saw while its requests were broken off is no finding.
  if (signal?.aborted === true) {
    return { verdict: "inconclusive", reason: `${stopReason(signal)} while it was decided` };
  }
  const difference =
    first === undefined
      ? undefined
      : ({ verdict: "fail", reason: describeMismatch(first) } as const);
  return verdictOf({ requirement, end, difference, comparisons });
}
