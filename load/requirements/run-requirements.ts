import { notRunResult } from "../../harness/judge.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import { obstacleOf } from "../../harness/obstacles.ts";
import { reasonOfStop } from "../../harness/outcome.ts";
import { Runner } from "../../harness/runner.ts";
import type { Round } from "../../harness/runner.ts";
import { selectChecks } from "../../harness/select.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { LoadResult } from "../../reports/model.ts";
import type { LoadSupervision } from "../meter.ts";
import { neededOf } from "../sent-load.ts";
import { obstacleToEngine } from "../engine-obstacles.ts";
import { clearedTogether, nothingCleared } from "./clear-jobs.ts";
import type { Cleared } from "./clear-jobs.ts";
import type { LoadCheck } from "./check.ts";
import { loadChecks } from "./checks.ts";
import { expectTraces } from "./exhaustion.ts";
import { LoadSession, situationOf } from "./load-session.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import { runLoadCheck } from "./run-load-check.ts";
import type { LoadCheckRun } from "./run-load-check.ts";
import type { Situation } from "./situation.ts";
import { turnsOf } from "./turns.ts";
import { tiers } from "../../openapi/operations.ts";

export interface RequirementsRun {
  readonly results: readonly RequirementResult[];
  readonly load: readonly LoadResult[];
  /** How many requests went out. */
  readonly sent: number;
  /** What was cleaned up on the endpoint that all checks share. */
  readonly cleared: Cleared;
}

export interface RequirementsOptions extends LoadSupervision {
  readonly target: TargetAccess;
  readonly requirements: ReadonlySet<RequirementId>;
  /** The checks to choose from; absent: all of load. */
  readonly checks?: readonly LoadCheck[];
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  readonly onStarted?: (check: LoadCheck) => void;
  /** Told of each attempt. */
  readonly onFinished?: (result: RequirementResult) => void;
}

/**
 * Decides the requirements of rate and concurrency in turns, so that none disturbs another. Undecided checks are tried
 * again, up to twice, without anything that was recorded before.
 */
export async function runRequirements(options: RequirementsOptions): Promise<RequirementsRun> {
  const checks = selectChecks(options.checks ?? loadChecks, options.requirements);
  let sent = 0;
  let cleared = nothingCleared;
  const runner = new Runner<LoadCheck, LoadCheckRun>({
    roundOf: async (asked, attempt) => {
      const some = attempt === 1 ? asked : await worthAskingAgain(asked, options);
      if (some.length === 0) return undefined;
      const session = new LoadSession(options.target, options.signal, options.meter);
      const close = async (): Promise<void> => {
        sent += session.sent;
        cleared = clearedTogether([cleared, session.cleared]);
        await session.close();
      };
      return { ...roundOf(some, session, options), close };
    },
    onEnded: (_check, { results }) => {
      for (const result of results) options.onFinished?.(result);
    },
    signal: options.signal,
  });
  await runner.runAll(checks);
  const ran = checks.flatMap((check) => runner.ranOf(check) ?? []);
  return {
    results: ran.flatMap(({ results }) => results),
    load: ran.flatMap(({ figures }) => figures ?? []),
    sent,
    cleared,
  };
}

/** The undecided checks that may be decided now: what they need may still be sent, and the target is there. */
async function worthAskingAgain(
  undecided: readonly LoadCheck[],
  options: RequirementsOptions,
): Promise<readonly LoadCheck[]> {
  const on = situationOf(options.target);
  const fitting = undecided.filter((check) => tooMuchOf(check, options, on) === undefined);
  if (fitting.length === 0 || options.signal?.aborted === true) return [];
  // A target that is away for a while is asked again when it is back.
  return (await options.meter?.isThere()) === false ? [] : fitting;
}

/** Why a check does not fit into what may still be sent. */
function tooMuchOf(
  check: Pick<LoadCheck, "cost">,
  { meter }: RequirementsOptions,
  on: Situation,
): string | undefined {
  return meter?.whyTooMuch?.(neededOf(check.cost(on)));
}

function roundOf(
  checks: readonly LoadCheck[],
  session: LoadSession,
  options: RequirementsOptions,
): Round<LoadCheck, LoadCheckRun> {
  const traced = tracedTiers(new Set(checks.flatMap(({ covers }) => covers)));
  const isFitting = ({ operation }: Tier): boolean => {
    const check = loadChecks.find(({ name }) => name === `rate/limit-of-${operation}`);
    return check === undefined || tooMuchOf(check, options, session) === undefined;
  };
  expectTraces(session, traced.filter(isFitting));
  return {
    turns: turnsOf(checks, session),
    run: async (check, isAlone) => {
      const obstacle = obstacleTo(check, session, options);
      if (obstacle !== undefined) {
        return {
          results: [notRunResult(check, check.covers[0], obstacle)],
          isWorthRepeating: false,
        };
      }
      options.onStarted?.(check);
      return runLoadCheck(check, session, isAlone);
    },
    tidy: async () => session.tidy(),
  };
}

function obstacleTo(
  check: LoadCheck,
  session: LoadSession,
  options: RequirementsOptions,
): string | undefined {
  const { signal, target, timeBudgetMs } = options;
  if (signal?.aborted === true) return reasonOfStop(signal);
  return (
    obstacleToEngine("probe", session.rules, target.baseUrl) ??
    obstacleOf(check, session, timeBudgetMs) ??
    tooMuchOf(check, options, session)
  );
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
