import type { RequirementId } from "../openapi/index.ts";
import { checks } from "./checks.ts";
import type { Check } from "../harness/check.ts";
import type { CheckResult } from "../harness/judge.ts";
import { preparedRun, runCheck } from "../harness/run-check.ts";
import { Session } from "../harness/session.ts";
import type { Target } from "../harness/session.ts";
import { openTarget } from "../harness/open-target.ts";
import type { TargetSettings } from "../harness/open-target.ts";
import { selectChecks } from "../harness/select.ts";

export interface InProcessSettings extends TargetSettings {
  readonly seed: number;
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  /** Absent: all. */
  readonly selected?: ReadonlySet<RequirementId>;
  /** Stops the run; what had not ended by then is not-run. */
  readonly signal?: AbortSignal;
  readonly onResult?: (result: CheckResult) => void;
}

export interface InProcessRun {
  readonly target: Target;
  readonly results: readonly CheckResult[];
}

/**
 * Runs the contract suite in this process and without vitest, for callers that run it some hundred
 * times. The checks run side by side and those that only observe come last, as in a run of its own.
 * @throws HarnessError TARGET_UNREACHABLE or KEY_REFUSED
 */
export async function runInProcess(settings: InProcessSettings): Promise<InProcessRun> {
  const { selected, seed, timeBudgetMs, signal, onResult } = settings;
  const chosen = selected === undefined ? checks : selectChecks(checks, selected);
  const target = await openTarget(settings);
  const session = new Session(target, seed);
  const picked = preparedRun(chosen, session, timeBudgetMs);
  const within = { timeBudgetMs, ...(signal !== undefined && { signal }) };
  const run = async (check: Check): Promise<readonly CheckResult[]> => {
    const results = await runCheck(check, session, within);
    for (const result of results) onResult?.(result);
    return results;
  };
  const runAll = async (some: readonly Check[]): Promise<readonly CheckResult[]> =>
    (await Promise.all(some.map(run))).flat();
  try {
    const acted = await runAll(picked.filter(({ observes }) => observes !== true));
    const observed = await runAll(picked.filter(({ observes }) => observes === true));
    return { target, results: [...acted, ...observed] };
  } finally {
    await session.close();
  }
}
