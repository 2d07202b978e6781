import { monotonicNowMs } from "../../client/exchange.ts";
import { Redactor } from "../../client/redactor.ts";
import { shellWord } from "../../client/shell-word.ts";
import { toolVersion } from "../../openapi/installation.ts";
import { createReport } from "../../reports/create-report.ts";
import type { Report } from "../../reports/model.ts";
import { durationText } from "../../reports/words.ts";
import { withoutOwnVariables } from "../../traffic/clients/variables.ts";
import { ProgramStartError } from "../../traffic/program.ts";
import { judgeWorker } from "../../traffic/workers/judge-worker.ts";
import type { WorkerOutcome } from "../../traffic/workers/judge-worker.ts";
import { workerPlan } from "../../traffic/workers/worker-plan.ts";
import type { WorkerTrial } from "../../traffic/workers/worker-plan.ts";
import { secretsIn } from "../../traffic/workers/environment-secrets.ts";
import { wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { tellResults } from "../progress/tell-results.ts";
import { reportedRun } from "../reported-run.ts";
import type { RunEnd } from "../reported-run.ts";
import type { WorkerSettings } from "../settings/worker.ts";
import { notShownReason, planText, repeatLineOf, tableText } from "../worker-words.ts";

/**
 * Judges a worker by what the queue makes of its jobs, and returns the exit code.
 * @throws CommandError WRONG_USAGE where the program cannot be started, and the errors of a report
 */
export async function worker(settings: WorkerSettings, io: Io): Promise<number> {
  const { given } = settings;
  const plan = workerPlan({ ...settings, tests: given.tests });
  io.write(`queueproof ${toolVersion()}: ${planText(settings, plan)}\n`);
  if (given.unused.length > 0) {
    io.write(`${given.file}: config.${given.unused.join(", config.")} is not used here\n`);
  }
  if (settings.dryRun) return 0;
  const { report, exitCode } = await reportedRun(
    { ...settings, repeatLineOf: repeatLineOf(settings) },
    io,
    async (signal) => judgedRun(settings, { plan, io, signal }),
  );
  io.write(tableText(report, io));
  return exitCode;
}

interface JudgedRun {
  readonly plan: WorkerTrial;
  readonly io: Io;
  readonly signal: AbortSignal;
}

async function judgedRun(
  settings: WorkerSettings,
  { plan, io, signal }: JudgedRun,
): Promise<RunEnd> {
  const startedAt = new Date();
  const begunMs = monotonicNowMs();
  const { command, given } = settings;
  const outcome = await outcomeOf(settings, { plan, io, signal });
  const report: Report = createReport({
    toolVersion: toolVersion(),
    nodeVersion: process.version,
    command: "worker",
    judged: ["worker"],
    seed: 0,
    startedAt,
    durationMs: Math.round(monotonicNowMs() - begunMs),
    interrupted: signal.aborted,
    target: { baseUrl: command.map(shellWord).join(" "), endpointId: "", capabilities: [] },
    dialect: "runpod",
    settings: { tests: given.file },
    results: outcome.results,
    facts: outcome.causes,
    allowed: settings.allowInconclusive,
    notRunReason: (id) =>
      notShownReason(id, { settings, plan, outcome, isStopped: signal.aborted }),
    worker: outcome.figures,
  });
  return { report };
}

async function outcomeOf(
  settings: WorkerSettings,
  { plan, io, signal }: JudgedRun,
): Promise<WorkerOutcome> {
  const environment = withoutOwnVariables(io.environment);
  const { command, given, workers, startWithinMs, verbose } = settings;
  const secrets = secretsIn({ ...environment, ...given.environment });
  const redactor = new Redactor();
  for (const { name, value } of secrets) redactor.add(name, value);
  try {
    return await judgeWorker({
      program: { command, environment, workingDirectory: io.workingDirectory },
      workers,
      testEnvironment: given.environment,
      startWithinMs,
      redactor,
      signal,
      plan,
      secrets,
      onResults: tellResults(io, verbose, "jobs"),
      onEstimate: (restMs) => {
        io.write(`each test has run; the rest takes about ${durationText(restMs)}\n`);
      },
    });
  } catch (error) {
    if (!(error instanceof ProgramStartError)) throw error;
    const hint = "Give it as you would type it, after --.";
    throw wrongUsageBy(error, "the worker cannot be judged:", hint);
  }
}
