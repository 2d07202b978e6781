import { isLoopback, openTarget as inspectTarget } from "../contracts/open-target.ts";
import type { CheckResult, ContractEvent, ContractRun } from "../contracts/index.ts";
import { engineCheckCount, enginesCost, runEngines } from "../load/engines.ts";
import { loadCheckSummaries, runRequirements } from "../load/index.ts";
import { k6Cache } from "../load/k6/index.ts";
import type { LoadCheckSummary } from "../load/index.ts";
import { requirementIds } from "../openapi/index.ts";
import type { RequirementId } from "../openapi/index.ts";
import type { LoadResult } from "../reports/index.ts";
import { CommandError } from "./errors.ts";
import type { Io } from "./io.ts";
import { runnerSettings } from "./runner-settings.ts";
import type { ContractCommandSettings, GivenTarget } from "./settings/contract.ts";

export interface LoadRun extends ContractRun {
  readonly load: readonly LoadResult[];
}

export interface LoadHooks {
  readonly onEvent: (event: ContractEvent) => void;
  readonly signal: AbortSignal;
  readonly io: Pick<Io, "environment" | "workingDirectory">;
}

/** The load checks of which a requirement is selected. */
export function selectedLoadChecks({
  only,
  skip,
}: ContractCommandSettings): readonly LoadCheckSummary[] {
  const selected = selectedIds(only, skip);
  return loadCheckSummaries.filter(({ covers }) => covers.some((id) => selected.has(id)));
}

/** What the selected load checks send at most, in one sentence. */
export function loadPlanText(checks: readonly LoadCheckSummary[]): string {
  const sum = (of: (check: LoadCheckSummary) => number): string =>
    String(checks.reduce((total, check) => total + of(check), 0));
  const engines = enginesCost(new Set(checks.flatMap(({ covers }) => covers)));
  const waits = sum(({ realTimeMs }) => Math.round(realTimeMs / 1_000));
  return (
    `${checks.length} load checks: about ${sum(({ requests }) => requests)} requests, ` +
    `${sum(({ jobs }) => jobs)} jobs, bursts of up to 2000 requests as fast as they are answered, ` +
    `up to 403 in flight, and up to ${waits} s of waiting where the clock is real; ` +
    `autocannon and k6 send up to ${engines.requests} requests and ${engines.jobs} jobs more`
  );
}

/**
 * Refuses to send load to anything but this machine unless that was asked for twice.
 * @throws CommandError WRONG_USAGE
 */
export function demandConsent(settings: ContractCommandSettings): void {
  const { target, capabilities, yes } = settings;
  if (target === undefined || isLoopback(target.baseUrl)) return;
  if (capabilities.includes("load") && yes) return;
  throw new CommandError("WRONG_USAGE", `load would be sent to ${target.baseUrl}`, {
    problems: [loadPlanText(selectedLoadChecks(settings))],
    hint: "Give --capability load and --yes where its owner allows that; --dry-run shows the plan.",
  });
}

/**
 * Decides the requirements of rate and concurrency on a target that answers: all by the probe, the
 * limits of the table by k6 and autocannon besides.
 * @throws HarnessError TARGET_UNREACHABLE or KEY_REFUSED
 */
export async function runLoad(
  settings: ContractCommandSettings,
  given: GivenTarget,
  { onEvent, signal, io }: LoadHooks,
): Promise<LoadRun> {
  const target = await inspectTarget(runnerSettings(settings, given));
  const checks = selectedLoadChecks(settings);
  const requirements = selectedIds(settings.only, settings.skip);
  onEvent({ type: "planned", checks: checks.length + engineCheckCount(requirements) });
  const summaries = new Map(checks.map((check) => [check.name, check]));
  const finished = (result: CheckResult): void => onEvent({ type: "finished", result });
  const run = await runRequirements({
    target,
    requirements,
    timeBudgetMs: settings.timeBudgetMs,
    signal,
    onStarted: ({ name }) => {
      const check = summaries.get(name);
      if (check !== undefined) onEvent({ type: "started", check });
    },
    onFinished: finished,
  });
  const engines = await runEngines({
    target,
    requirements,
    timeBudgetMs: settings.timeBudgetMs,
    environment: io.environment,
    k6CacheDirectory: k6Cache(io.workingDirectory),
    reportDirectory: settings.reportDirectory,
    signal,
    onFinished: finished,
  });
  const { baseUrl, endpointId = "", capabilities } = target;
  return {
    target: { baseUrl, endpointId, capabilities },
    results: [...run.results, ...engines.results],
    load: [...run.load, ...engines.load],
    interrupted: signal.aborted,
  };
}

function selectedIds(
  only: readonly RequirementId[],
  skip: readonly RequirementId[],
): ReadonlySet<RequirementId> {
  const wanted = only.length === 0 ? requirementIds : only;
  return new Set(wanted.filter((id) => !skip.includes(id)));
}
