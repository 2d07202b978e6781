import { monotonicNowMs } from "../client/exchange.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { createReport } from "../reports/create-report.ts";
import type { Report } from "../reports/model.ts";
import { hasInputSecrets } from "../harness/inputs/input-secrets.ts";
import type { RequirementResult } from "../harness/judge.ts";
import type { RunEvent } from "../harness/run-events.ts";
import { describeError } from "./errors.ts";
import { endedInTime } from "./interruption.ts";
import type { Io } from "./io.ts";
import { textOfEvent } from "./progress/learned-text.ts";
import { keyWarnings } from "./key-warnings.ts";
import type { LoadRun } from "./load-run.ts";
import type { ContractCommandSettings, RunCommand } from "./settings/contract.ts";
import { runnerSettings } from "./runner-settings.ts";
import { readReport } from "./report-file.ts";
import type { RunEnd } from "./reported-run.ts";
import { startTarget } from "./target.ts";
import type { OpenTarget } from "./target.ts";
import { uncoveredReason } from "./uncovered-reason.ts";
import { toolVersion } from "../openapi/installation.ts";

export interface RunContext {
  readonly command: RunCommand;
  readonly io: Io;
  readonly signal: AbortSignal;
}

/**
 * Runs the checks and makes a report of the results. An error that ends the run is returned together with a report
 * that says why nothing was decided; only wrong usage is thrown.
 * @throws the error of a selection without a check.
 */
export async function runToReport(
  given: ContractCommandSettings,
  context: RunContext,
): Promise<RunEnd> {
  let settings = given;
  const startedAt = new Date();
  const begunMs = performance.now();
  const reportOf = (run: LoadRun, notRunReason: (id: RequirementId) => string): Report =>
    createReport({
      toolVersion: toolVersion(),
      nodeVersion: process.version,
      command: context.command,
      seed: settings.seed,
      startedAt,
      durationMs: Math.round(performance.now() - begunMs),
      interrupted: run.interrupted,
      outages: run.outages,
      facts: run.facts,
      targetGone: run.targetGone,
      target: { ...run.target, ...whereFrom(settings) },
      dialect: settings.dialect.name,
      settings: settingsToRepeat(settings),
      results: run.results,
      load: run.load,
      ...(run.sent !== undefined && { sent: run.sent }),
      ...(run.cleanedUp !== undefined && { cleanedUp: run.cleanedUp }),
      allowed: settings.allowInconclusive,
      notRunReason,
    });
  const decided: RequirementResult[] = [];
  const soFar = (): LoadRun => ({ ...emptyRun(settings), results: decided, interrupted: true });
  try {
    const running = runOnTarget(given, context, {
      onDecided: (result) => decided.push(result),
      onSettled: (withJobs) => (settings = withJobs),
    });
    const run = await endedInTime(running, context.signal, soFar);
    const broken = run.results.filter(({ harnessError }) => harnessError !== undefined);
    return {
      report: reportOf(run, (id) =>
        run.interrupted && run.results.length === 0
          ? "the run was stopped before it was decided"
          : uncoveredReason(id, settings, context.command),
      ),
      broken: broken.map(({ name }) => name),
    };
  } catch (error) {
    const { exitCode, lines } = describeError(error);
    if (exitCode === 2) throw error;
    const reason = (lines[0] ?? "").replace(/^error: /, "");
    return { report: reportOf(emptyRun(settings), () => reason), error };
  }
}

const noTargetText =
  "No target was given: the embedded reference is tested. Give --base-url to test a server, " +
  "--reference to mean this.\n";

function warn(settings: ContractCommandSettings, io: Io): void {
  const { target, reference, requests } = settings;
  for (const warning of [...settings.warnings, ...keyWarnings(target, requests.headers)]) {
    io.writeError(`warning: ${warning}\n`);
  }
  if (target === undefined && !reference) io.write(noTargetText);
}

interface RunListeners {
  readonly onDecided: (result: RequirementResult) => void;
  /** Called with the settings of the run, once its jobs are known. */
  readonly onSettled: (settings: ContractCommandSettings) => void;
}

async function runOnTarget(
  given: ContractCommandSettings,
  { io, signal, command }: RunContext,
  { onDecided, onSettled }: RunListeners,
): Promise<LoadRun> {
  if (signal.aborted) return { ...emptyRun(given), interrupted: true };
  const timeLimitSinceMs = monotonicNowMs();
  warn(given, io);
  // The checks are imported while the embedded reference starts in its thread.
  const [target, { runContract }, { createProgress }] = await Promise.all([
    startTarget(given, signal),
    import("../contracts/run-contract.ts"),
    import("./progress/progress.ts"),
  ]);
  const about = given.target === undefined ? "the embedded reference, " : "";
  io.write(`queueproof ${toolVersion()}, seed ${given.seed}: ${about}${target.baseUrl}\n`);
  const settings = await settled(given, target, { io, signal, onSettled });
  const progress = createProgress(io, settings.verbose);
  signal.addEventListener("abort", progress.clear, { once: true });
  try {
    const { onLoad } = progress;
    const onEvent = (event: RunEvent): void => {
      const isOfCheck = event.type === "finished" && event.result.covers.length > 0;
      if (isOfCheck) onDecided(event.result);
      const told = textOfEvent(event);
      if (told !== undefined) {
        progress.clear();
        io.write(told);
      }
      progress.onEvent(event);
    };
    const hooks = { onEvent, onLoad, signal, io };
    // Of a target that the contract suite has learned nothing new is told.
    const onLoadEvent = (event: RunEvent): void => {
      if (command === "load" || event.type !== "learned") onEvent(event);
    };
    const load = async (): Promise<LoadRun> => {
      const { runLoad } = await import("./load-run.ts");
      return runLoad(settings, target, { ...hooks, onEvent: onLoadEvent, timeLimitSinceMs });
    };
    if (command === "load") return await load();
    const contract = await runContract(
      {
        ...runnerSettings(settings, target),
        timeLimitSinceMs,
        first: await readFailedOrInconclusiveChecks(settings, io),
      },
      hooks,
    );
    if (command === "contract") return { ...contract, load: [] };
    const isEnded = contract.targetGone !== undefined || contract.failedFast === true;
    // A signal here interrupted the run, as load has not begun, although every contract check had ended.
    if (signal.aborted || isEnded) return { ...contract, interrupted: signal.aborted, load: [] };
    const ofLoad = await load();
    const results = [...contract.results, ...ofLoad.results];
    const outages = [...contract.outages, ...ofLoad.outages];
    const { facts = [] } = contract;
    return { ...contract, ...ofLoad, facts, results, outages };
  } finally {
    progress.stop();
    await target.close();
  }
}

/** The settings with the jobs that tests turn out to be, where tests were given. */
async function settled(
  given: ContractCommandSettings,
  target: OpenTarget,
  { io, signal, onSettled }: Pick<RunContext, "io" | "signal"> & Pick<RunListeners, "onSettled">,
): Promise<ContractCommandSettings> {
  if (given.jobTests === undefined) return given;
  try {
    const { withJobsOfTests } = await import("./job-tests.ts");
    const { settings } = await withJobsOfTests(given, target, { signal, write: io.write });
    onSettled(settings);
    return settings;
  } catch (error) {
    await target.close();
    throw error;
  }
}

/** Names the checks that failed or were inconclusive in an earlier run. */
async function readFailedOrInconclusiveChecks(
  { earlierReportFile }: ContractCommandSettings,
  io: Io,
): Promise<readonly string[]> {
  if (earlierReportFile === undefined) return [];
  const { requirements } = await readReport(earlierReportFile, io);
  return requirements
    .flatMap(({ checks }) => checks)
    .filter(({ verdict }) => verdict === "fail" || verdict === "inconclusive")
    .map(({ name }) => name);
}

/** The settings that `replay` needs besides target, seed and dialect; no keys. */
function settingsToRepeat({
  timeBudgetMs,
  timeoutMs,
  webhookPort,
  jobs,
  dialect,
  dialectGiven = dialect.name,
}: ContractCommandSettings): NonNullable<Report["settings"]> {
  return {
    ...(timeBudgetMs !== Number.MAX_SAFE_INTEGER && { timeBudgetMs }),
    timeoutMs,
    ...(webhookPort !== undefined && { webhookPort }),
    ...(jobs !== undefined && !hasInputSecrets(jobs) && { jobs }),
    ...(dialectGiven !== dialect.name && { dialectFile: dialectGiven }),
  };
}

/** What `replay` needs besides the address to find the target again. */
function whereFrom({ target }: ContractCommandSettings): Partial<Report["target"]> {
  if (target === undefined) return { embedded: true };
  return target.controlUrl === undefined ? {} : { controlUrl: target.controlUrl };
}

function emptyRun({ target, capabilities }: ContractCommandSettings): LoadRun {
  const { baseUrl = "the embedded reference", endpointId = "" } = target ?? {};
  return {
    target: { baseUrl, endpointId, capabilities },
    results: [],
    load: [],
    interrupted: false,
    outages: [],
  };
}
