import { isLoopback } from "../client/endpoint-address.ts";
import { rulesFor } from "../client/request-rules.ts";
import { leaving } from "../harness/leaving.ts";
import { openTarget } from "../harness/open-target.ts";
import type { Target } from "../harness/target.ts";
import type { RequirementResult } from "../harness/judge.ts";
import type { RunOutcome } from "../harness/run.ts";
import type { CheckSummary, RunEvent } from "../harness/run-events.ts";
import { unmeasured } from "../load/release/mix-finding.ts";
import { runOpenLoopScenarios } from "../load/release/scenario.ts";
import type { JudgedLoad } from "../load/open-loop/judged-load.ts";
import { runEngines } from "../load/engines.ts";
import { cleanUp } from "../load/clean-up.ts";
import type { CleanedUp } from "../load/clean-up.ts";
import { runRequirements } from "../load/requirements/run-requirements.ts";
import type { RequirementsRun } from "../load/requirements/run-requirements.ts";
import type { LoadCost } from "../load/sent-load.ts";
import { scenarioNameOf } from "../load/scenarios/judge.ts";
import type { ScenarioEntry } from "../load/scenarios/judge.ts";
import { offeredMixOf } from "../load/scenarios/mix-size.ts";
import { runScenarios } from "../load/scenarios/run-scenarios.ts";
import type { LoadResult, Report } from "../reports/model.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { endedInTime } from "./interruption.ts";
import type { Io } from "./io.ts";
import { loadPlan, selectedLoadChecks, tiersWanted, timeLimitMs } from "./load-plan.ts";
import { watchLoad } from "./load-watch.ts";
import type { LoadWatch } from "./load-watch.ts";
import type { Progress } from "./progress/progress.ts";
import { runnerSettings } from "./runner-settings.ts";
import { choiceOf } from "./load-scenarios.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import type { GivenTarget } from "./settings/given-target.ts";
import { selectedIds } from "./settings/selection.ts";

export interface LoadRun extends RunOutcome {
  readonly load: readonly LoadResult[];
  /** What load sent, by operation; absent where no load ran. */
  readonly sent?: LoadCost;
  /** What was done with the jobs that load left; absent where endpoints were made for it, and after a stop. */
  readonly cleanedUp?: Report["cleanedUp"];
}

export interface LoadHooks extends Pick<Progress, "onLoad"> {
  /** The moment at which the run began, in milliseconds of the monotonic clock. */
  readonly timeLimitSinceMs: number;
  readonly onEvent: (event: RunEvent) => void;
  readonly signal: AbortSignal;
  readonly io: Pick<Io, "environment" | "workingDirectory" | "writeError">;
}

/**
 * Decides the requirements of rate and concurrency on a target that answers. The probe decides all of them; k6 and
 * autocannon also test the limits of the table.
 * @throws HarnessError TARGET_UNREACHABLE or KEY_REFUSED
 */
export async function runLoad(
  settings: ContractCommandSettings,
  given: GivenTarget,
  hooks: LoadHooks,
): Promise<LoadRun> {
  const target = await openTarget(runnerSettings(settings, given));
  const { discovery } = target;
  if (discovery !== undefined) {
    hooks.onEvent({ type: "learned", facts: discovery.facts, ...discovery.cost });
  }
  hooks.onEvent({ type: "planned", checks: loadPlan(settings).checks });
  const watch = watchLoad({
    baseUrl: target.baseUrl,
    rules: rulesFor(target),
    interruption: hooks.signal,
    timeLimitMs: timeLimitMs(settings),
    // A limit that was given is one of the whole run.
    ...(settings.timeLimitMs !== undefined && { timeLimitSinceMs: hooks.timeLimitSinceMs }),
    stopsOnServerErrors: !isLoopback(target.baseUrl),
    limits: settings,
  });
  hooks.onLoad(watch.counts);
  const decided: RequirementResult[] = [];
  const started = new Set<string>();
  const onEvent = (event: RunEvent): void => {
    if (event.type === "started") watch.guard.check = event.check.name;
    const isOfCheck = event.type === "finished" && event.result.covers.length > 0;
    if (isOfCheck) decided.push(event.result);
    // The load plan is made before the target is known, so what the target lacks is found only now.
    if (isLeftOut(event, started)) hooks.onEvent({ type: "left-out", check: event.result.name });
    if (event.type === "started") started.add(event.check.name);
    hooks.onEvent(leaving(event, discovery?.redactor));
  };
  try {
    const running = runAll(settings, target, { ...hooks, onEvent, watch });
    const soFar = (): Found => ({ results: decided, load: [] });
    const unlessGone = async (error: unknown): Promise<Found> => {
      // The failure may only mean that the target had gone away.
      if (await watch.guard.isThere()) throw error;
      return soFar();
    };
    const found = await endedInTime(running, watch.guard.gone, soFar).catch(unlessGone);
    const { baseUrl, endpointId = "", capabilities } = target;
    const { outages, targetGone } = watch.guard;
    const run: LoadRun = {
      target: { baseUrl, endpointId, capabilities },
      ...found,
      ...(discovery !== undefined && { facts: discovery.facts }),
      sent: watch.cost(),
      interrupted: watch.signal.aborted && targetGone === undefined,
      outages,
      ...(targetGone !== undefined && { targetGone }),
    };
    return leaving(run, discovery?.redactor);
  } finally {
    await watch.stop();
  }
}

function isLeftOut(
  event: RunEvent,
  started: ReadonlySet<string>,
): event is Extract<RunEvent, { type: "finished" }> {
  if (event.type !== "finished") return false;
  return event.result.verdict === "not-run" && !started.has(event.result.name);
}

type Found = Pick<LoadRun, "results" | "load" | "cleanedUp">;

/** Runs the probe, the other engines and the scenarios in sequence, so that they do not disturb each other. */
async function runAll(
  settings: ContractCommandSettings,
  target: Target,
  hooks: Watching,
): Promise<Found> {
  const { onEvent, io, watch } = hooks;
  const probe = await runProbe(settings, target, hooks);
  const engines = await runEngines({
    target,
    requirements: selectedIds(settings),
    ...tiersWanted(settings),
    timeBudgetMs: settings.timeBudgetMs,
    ...(settings.scenarios === undefined && { probed: probe.results }),
    onBuilding: io.writeError,
    environment: io.environment,
    reportDirectory: settings.reportDirectory,
    ...watchedBy(watch),
    segment: settings.sharing.segment,
    startAtMs: settings.sharing.startAtMs,
    onFinished: (result) => onEvent({ type: "finished", result }),
  });
  const asked = await runNamedScenarios(settings, target, hooks);
  const openLoops = await runNamedOpenLoops(settings, target, hooks);
  // Other runners may still need their jobs.
  const isAlone = settings.sharing.segment === undefined;
  const left = isAlone ? await cleanUp(target, watch) : undefined;
  return {
    ...(left !== undefined && { cleanedUp: cleanedUpOf(probe.cleared, left) }),
    results: [...probe.results, ...engines.results, ...asked.results],
    load: [...probe.load, ...engines.load, ...asked.load, ...openLoops],
  };
}

/** Adds up what was purged and cancelled, and says what is left. */
function cleanedUpOf(
  { purged, cancelled } = { purged: 0, cancelled: 0 },
  { purged: purgedAtEnd, left }: CleanedUp,
): NonNullable<Report["cleanedUp"]> {
  return { purged: purged + purgedAtEnd, cancelled, ...(left !== undefined && { left }) };
}

type Watching = LoadHooks & { readonly watch: LoadWatch };

/** Runs the probe, except as one of several runners: each would send it again. */
async function runProbe(
  settings: ContractCommandSettings,
  target: Target,
  { onEvent, watch }: Watching,
): Promise<Found & Partial<Pick<RequirementsRun, "cleared">>> {
  if (settings.sharing.segment !== undefined || !choiceOf(settings).probe) {
    return { results: [], load: [] };
  }
  const summaries = new Map(selectedLoadChecks(settings).map((check) => [check.name, check]));
  return runRequirements({
    target,
    requirements: selectedIds(settings),
    timeBudgetMs: settings.timeBudgetMs,
    ...watchedBy(watch),
    onStarted: ({ name }) => {
      const check = summaries.get(name);
      if (check !== undefined) onEvent({ type: "started", check });
    },
    onFinished: (result: RequirementResult) => onEvent({ type: "finished", result }),
  });
}

/** Runs the named scenarios, without the time budget of checks: who names a scenario also asks for its duration. */
async function runNamedScenarios(
  settings: ContractCommandSettings,
  target: Target,
  { onEvent, io, watch }: Watching,
): Promise<Found> {
  const { durationMs, scale, webhookUrl, webhookPort, reportDirectory } = settings;
  const { segment, startAtMs } = settings.sharing;
  return runScenarios({
    scenarios: choiceOf(settings).scenarios,
    // A runner of several leaves the points of its share in the report's folder.
    share: segment && { segment, startAtMs, directory: reportDirectory },
    target,
    durationMs,
    scale,
    mix: offeredMixOf(settings),
    reportDirectory,
    environment: io.environment,
    webhook: { publicUrl: webhookUrl, port: webhookPort },
    ...watchedBy(watch),
    onBuilding: io.writeError,
    onStarted: (scenario) => onEvent({ type: "started", check: summaryOf(scenario) }),
    onFinished: (entry, tookMs) => onEvent({ type: "finished", result: resultOf(entry, tookMs) }),
  });
}

/** Runs the named scenarios of our own open loop. Where no mix is among those named, nothing measures the objectives. */
async function runNamedOpenLoops(
  settings: ContractCommandSettings,
  target: Target,
  { onEvent, io, watch }: Watching,
): Promise<readonly JudgedLoad[]> {
  const { webhookUrl, webhookPort, objectives } = settings;
  const { openLoop, scenarios } = choiceOf(settings);
  const entries = await runOpenLoopScenarios(openLoop, {
    ...settings,
    target,
    environment: io.environment,
    webhook: { publicUrl: webhookUrl, port: webhookPort },
    ...watchedBy(watch),
    onBuilding: io.writeError,
    onStarted: ({ entry: name, question: title, cost }) => {
      const { durationMs: realTimeMs } = cost(settings);
      onEvent({ type: "started", check: { name, title, covers: [], needs: [], realTimeMs } });
    },
    onFinished: (entry, tookMs) => onEvent({ type: "finished", result: resultOf(entry, tookMs) }),
  });
  if (openLoop.some(({ name }) => name === "mix")) return entries;
  if (scenarios.some(({ takesMix = false }) => takesMix)) return entries;
  const reason = "nothing measures it: name `mix` (`queueproof load mix`)";
  return [...entries, ...objectives.map((objective) => unmeasured(objective, reason))];
}

function summaryOf(scenario: Scenario): CheckSummary {
  const { question: title, needs, durationMs } = scenario;
  const name = scenarioNameOf(scenario);
  return { name, title, covers: [], needs, realTimeMs: durationMs };
}

/** Turns a scenario into a result for progress displays; the report lists it under `load`. */
function resultOf(
  { scenario, question, verdict, answer, reason }: ScenarioEntry,
  durationMs: number,
): RequirementResult {
  const why = verdict === "pass" ? answer : (reason ?? answer);
  const empty = { readings: [], mismatches: [], deviations: [], evidence: [] } as const;
  return {
    name: scenario,
    title: question,
    covers: [],
    verdict,
    durationMs,
    ...(why === undefined ? {} : { reason: why }),
    ...empty,
  };
}

function watchedBy({ signal, meter }: LoadWatch): Pick<LoadWatch, "signal" | "meter"> {
  return { signal, meter };
}
