import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellWord } from "../../client/shell-word.ts";
import { toolVersion } from "../../openapi/installation.ts";
import { createReport } from "../../reports/create-report.ts";
import type { CheckResult } from "../../reports/model.ts";
import { countText, listText } from "../../reports/words.ts";
import { certificatesFor } from "../../traffic/certificates.ts";
import { judgeClient, plannedScenarios } from "../../traffic/clients/judge-client.ts";
import type { PlannedScenario } from "../../traffic/clients/scenario.ts";
import { judgeReceiver } from "../../traffic/clients/judge-receiver.ts";
import type { ScenarioSettings } from "../../traffic/clients/run-scenario.ts";
import { withoutOwnVariables } from "../../traffic/clients/variables.ts";
import { ProgramStartError } from "../../traffic/program.ts";
import { notShownReason, repeatLineOf } from "../client-words.ts";
import { wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { demandAgreement } from "../load-consent.ts";
import { oneLine } from "../progress/one-line.ts";
import { tellResults } from "../progress/tell-results.ts";
import { reportedRun } from "../reported-run.ts";
import type { RunEnd } from "../reported-run.ts";
import type { ClientSettings } from "../settings/client.ts";

/**
 * Judges a client's program by running it through every scenario that its tasks allow, or a receiver of webhooks by
 * calling it, and returns the exit code.
 * @throws CommandError WRONG_USAGE where the program cannot be started, and the errors of a report
 */
export async function client(settings: ClientSettings, io: Io): Promise<number> {
  io.write(`queueproof ${toolVersion()}: ${planText(settings)}\n`);
  if (settings.dryRun) return 0;
  if (settings.receiver !== undefined) {
    const plan = planText(settings);
    await demandAgreement({ ...settings, address: settings.receiver, what: "webhooks", plan }, io);
  }
  const { exitCode } = await reportedRun(
    { ...settings, repeatLineOf: repeatLineOf(settings) },
    io,
    async (signal) => judgedRun(settings, io, signal),
  );
  return exitCode;
}

async function judgedRun(settings: ClientSettings, io: Io, signal: AbortSignal): Promise<RunEnd> {
  const startedAt = new Date();
  const begunMs = performance.now();
  const { receiver, jobs, command, only } = settings;
  const onResults = tellResults(io, settings.verbose);
  const results =
    receiver === undefined
      ? await inScratch(settings, async (tls) =>
          resultsOfProgram(settings, { io, signal, tls, onResults }),
        )
      : await judgeReceiver({ url: receiver, jobs, only, signal, onResults });
  const report = createReport({
    toolVersion: toolVersion(),
    nodeVersion: process.version,
    command: "client",
    judged: ["client"],
    seed: 0,
    startedAt,
    durationMs: Math.round(performance.now() - begunMs),
    interrupted: signal.aborted,
    target: {
      baseUrl: receiver ?? command.map(shellWord).join(" "),
      endpointId: "",
      capabilities: receiver === undefined ? settings.tasks : [],
    },
    dialect: settings.dialect,
    settings: {
      ...(settings.isPlain && { plain: true }),
      ...(!settings.judgesPolls && { driver: "polls" as const }),
    },
    results,
    allowed: settings.allowInconclusive,
    notRunReason: (id) => notShownReason(id, settings),
  });
  return { report };
}

interface ProgramRun {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly tls: ScenarioSettings["tls"];
  readonly onResults: ReturnType<typeof tellResults>;
}

async function resultsOfProgram(
  settings: ClientSettings,
  { io, ...run }: ProgramRun,
): Promise<readonly CheckResult[]> {
  const { environment, workingDirectory } = io;
  const program = {
    command: settings.command,
    environment: withoutOwnVariables(environment),
    workingDirectory,
  };
  try {
    return await judgeClient({ ...settings, ...run, program });
  } catch (error) {
    if (!(error instanceof ProgramStartError)) throw error;
    const hint = "Give it as you would type it, after --.";
    throw wrongUsageBy(error, "the program cannot be judged:", hint);
  }
}

/** Where the certificate lies that programs have to trust, for as long as they run. */
async function inScratch<Result>(
  { isPlain }: ClientSettings,
  work: (tls: ScenarioSettings["tls"]) => Promise<Result>,
): Promise<Result> {
  if (isPlain) return work(undefined);
  const folder = await mkdtemp(join(tmpdir(), "queueproof-client-"));
  try {
    const caFile = join(folder, "authority.pem");
    const { ca, server } = await certificatesFor("127.0.0.1", "localhost");
    await writeFile(caFile, ca);
    return await work({ ...server, caFile });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Programs start side by side: a run takes about as long as its longest scenario. */
function planText(settings: ClientSettings): string {
  const { command, tasks, isPlain, receiver, jobs } = settings;
  if (receiver !== undefined) {
    return `some 40 calls of ${receiver}, ${jobs.length === 0 ? "for a job that it does not know" : `for ${countText(jobs.length, "job")}`}, about 10 s`;
  }
  const planned = plannedScenarios(settings);
  const how = isPlain ? "without TLS" : "over TLS, those of refusals without as well";
  const words = oneLine(command.map(shellWord).join(" "));
  return `${countText(planned.length, "scenario")} for ${listText(tasks)} (${how}), about ${secondsOf(planned)} s: ${words}`;
}

function secondsOf(planned: readonly PlannedScenario[]): number {
  return planned.some(({ scenario }) => scenario.name === "runsync-held") ? 95 : 35;
}
