import { runContract } from "../contracts/index.ts";
import type { ContractRun, ContractSettings } from "../contracts/index.ts";
import type { RequirementId } from "../openapi/index.ts";
import { createReport } from "../reports/index.ts";
import type { Report } from "../reports/index.ts";
import { describeError } from "./errors.ts";
import type { Io } from "./io.ts";
import { createProgress } from "./progress/progress.ts";
import type { Progress } from "./progress/progress.ts";
import type { ContractCommandSettings, GivenTarget } from "./settings/contract.ts";
import { openTarget } from "./target.ts";
import { toolVersion } from "./version.ts";

export interface RunEnd {
  readonly report: Report;
  /** What kept the run from deciding anything, when something did. */
  readonly error?: unknown;
  /** The checks in which the harness itself broke: what it found cannot be trusted as a whole. */
  readonly broken?: readonly string[];
}

export interface RunContext {
  readonly io: Io;
  readonly signal: AbortSignal;
}

/**
 * Runs the checks and puts what they found into a report. An error that ends the run is part of the
 * answer, with a report that says why nothing was decided; only wrong usage is thrown.
 * @throws the error of a selection without a check.
 */
export async function runToReport(
  settings: ContractCommandSettings,
  context: RunContext,
): Promise<RunEnd> {
  const startedAt = new Date();
  const begunMs = performance.now();
  const reportOf = (run: ContractRun, notRunReason: (id: RequirementId) => string): Report =>
    createReport({
      toolVersion: toolVersion(),
      nodeVersion: process.version,
      command: "contract",
      seed: settings.seed,
      startedAt,
      durationMs: Math.round(performance.now() - begunMs),
      interrupted: run.interrupted,
      target: run.target,
      dialect: settings.dialect.name,
      results: run.results,
      notRunReason,
    });
  try {
    const run = await runOnTarget(settings, context);
    const broken = run.results.filter(({ harnessError }) => harnessError !== undefined);
    return {
      report: reportOf(run, (id) => uncoveredReason(id, settings)),
      broken: broken.map(({ name }) => name),
    };
  } catch (error) {
    const { exitCode, lines } = describeError(error);
    if (exitCode === 2) throw error;
    const reason = (lines[0] ?? "").replace(/^error: /, "");
    return { report: reportOf(emptyRun(settings), () => reason), error };
  }
}

async function runOnTarget(
  settings: ContractCommandSettings,
  { io, signal }: RunContext,
): Promise<ContractRun> {
  const target = await openTarget(settings, signal);
  const about = settings.target === undefined ? "the embedded reference, " : "";
  io.write(`queueproof ${toolVersion()}, seed ${settings.seed}: ${about}${target.baseUrl}\n`);
  const progress = createProgress(io);
  try {
    const { onEvent, signal: stop } = stoppableFromStart(progress, signal);
    return await runContract(runnerSettings(settings, target), { onEvent, signal: stop });
  } finally {
    progress.stop();
    await target.close();
  }
}

/**
 * Hands an interruption on once the first check has started: a runner that is stopped while it
 * still prepares itself would go on as if nothing had happened.
 */
function stoppableFromStart(
  { onEvent }: Progress,
  signal: AbortSignal,
): { readonly onEvent: Progress["onEvent"]; readonly signal: AbortSignal } {
  const controller = new AbortController();
  let started = false;
  const stopWhenStarted = (): void => {
    if (started && signal.aborted) controller.abort();
  };
  signal.addEventListener("abort", stopWhenStarted, { once: true });
  return {
    signal: controller.signal,
    onEvent: (event) => {
      onEvent(event);
      started ||= event.type === "started";
      stopWhenStarted();
    },
  };
}

/** The settings in the words of the runner. */
export function runnerSettings(
  settings: ContractCommandSettings,
  { baseUrl, controlUrl, endpointId, apiKey, foreignKey }: GivenTarget,
): ContractSettings {
  const { capabilities, webhookUrl, webhookPort, timeoutMs, timeBudgetMs, only, skip, seed } =
    settings;
  return {
    baseUrl,
    dialect: settings.dialect,
    capabilities,
    timeoutMs,
    timeBudgetMs,
    only,
    skip,
    seed,
    ...(controlUrl !== undefined && { controlUrl }),
    ...(endpointId !== undefined && { endpointId }),
    ...(apiKey !== undefined && { apiKey }),
    ...(foreignKey !== undefined && { foreignKey }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(webhookPort !== undefined && { webhookPort }),
  };
}

function uncoveredReason(id: RequirementId, { only, skip }: ContractCommandSettings): string {
  const selected = (only.length === 0 || only.includes(id)) && !skip.includes(id);
  return selected ? "no check covers it yet" : "not selected";
}

function emptyRun({ target, capabilities }: ContractCommandSettings): ContractRun {
  const { baseUrl = "the embedded reference", endpointId = "" } = target ?? {};
  return { target: { baseUrl, endpointId, capabilities }, results: [], interrupted: false };
}
