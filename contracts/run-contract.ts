import { runChecks, summaryOf } from "../harness/run.ts";
import type { RunOutcome, RunSettings } from "../harness/run.ts";
import type { CheckSummary, RunHooks } from "../harness/run-events.ts";
import type { Check } from "../harness/check.ts";
import { checks } from "./checks.ts";
import { planner } from "./plan.ts";

/**
 * Runs the contract suite, or some of its checks, against a target.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED, ENDPOINT_UNKNOWN or NOTHING_SELECTED
 */
export async function runContract(
  settings: RunSettings,
  hooks?: RunHooks,
  among: readonly Check[] = checks,
): Promise<RunOutcome> {
  return runChecks(among, { planner, ...settings }, hooks);
}

/** The header of every check, in the order of the suite. */
export const checkSummaries: readonly CheckSummary[] = checks.map((check) => summaryOf(check));
