import type { RequirementId } from "../openapi/index.ts";
import { checks } from "./checks.ts";
import type { Check } from "./kit/check.ts";
import type { CheckResult } from "./kit/judge.ts";
import { runCheck } from "./kit/run-check.ts";
import { Session } from "./kit/session.ts";
import { openTarget } from "./open-target.ts";
import type { TargetSettings } from "./open-target.ts";
import { selectChecks } from "./select.ts";

export interface InProcessSettings extends TargetSettings {
  readonly seed: number;
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  /** Absent: all. */
  readonly selected?: ReadonlySet<RequirementId>;
}

/**
 * Runs the contract suite in this process and without vitest, for callers that run it some hundred
 * times. The checks run side by side and those that only observe come last, as in a run of its own.
 * @throws HarnessError TARGET_UNREACHABLE or KEY_REFUSED
 */
export async function runInProcess(settings: InProcessSettings): Promise<readonly CheckResult[]> {
  const { selected, seed, timeBudgetMs } = settings;
  const picked = selected === undefined ? checks : selectChecks(checks, selected);
  const session = new Session(await openTarget(settings), seed);
  const runAll = async (some: readonly Check[]): Promise<readonly CheckResult[]> => {
    const results = some.map(async (check) => runCheck(check, session, { timeBudgetMs }));
    return (await Promise.all(results)).flat();
  };
  try {
    const acted = await runAll(picked.filter(({ observes }) => observes !== true));
    return [...acted, ...(await runAll(picked.filter(({ observes }) => observes === true)))];
  } finally {
    await session.close();
  }
}
