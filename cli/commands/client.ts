import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellWord } from "../../client/shell-word.ts";
import { toolVersion } from "../../client/tool-version.ts";
import { requirements } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { createReport } from "../../reports/create-report.ts";
import { notSelectedReason } from "../../reports/not-run.ts";
import type { CheckResult, Report } from "../../reports/model.ts";
import { countText, listText } from "../../reports/words.ts";
import { certificatesFor } from "../../traffic/certificates.ts";
import { judgeClient, plannedScenarios, shownBy } from "../../traffic/clients/judge-client.ts";
import type { PlannedScenario } from "../../traffic/clients/judge-client.ts";
import { trafficRules } from "../../traffic/clients/results-of-run.ts";
import type { ScenarioSettings } from "../../traffic/clients/run-scenario.ts";
import { clientScenarios } from "../../traffic/clients/scenarios/client-scenarios.ts";
import { withoutOwnVariables } from "../../traffic/clients/variables.ts";
import { ProgramStartError } from "../../traffic/program.ts";
import { coloursFor } from "../colours.ts";
import { wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { oneLine } from "../progress/one-line.ts";
import { reportedRun } from "../reported-run.ts";
import type { RunEnd } from "../reported-run.ts";
import type { ClientSettings } from "../settings/client.ts";

/**
 * Runs a client's program through every scenario that its tasks allow, judges it, and returns the exit code.
 * @throws CommandError WRONG_USAGE where the program cannot be started, and the errors of a report
 */
export async function client(settings: ClientSettings, io: Io): Promise<number> {
  const only = new Set(settings.only);
  const planned = plannedScenarios({ ...settings, only, isPlain: settings.plain });
  io.write(planText(planned, settings));
  if (settings.dryRun) return 0;
  const repeatLineOf = (id: string): string => repeatLine(id, settings);
  const { exitCode } = await reportedRun({ ...settings, repeatLineOf }, io, async (signal) =>
    inScratch(settings.plain, async (tls) => judgedRun(settings, { io, signal, tls })),
  );
  return exitCode;
}

interface RunContext {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly tls: ScenarioSettings["tls"];
}

async function judgedRun(
  settings: ClientSettings,
  { io, signal, tls }: RunContext,
): Promise<RunEnd> {
  const startedAt = new Date();
  const begunMs = performance.now();
  const only = new Set(settings.only);
  const { red, green, yellow } = coloursFor(io);
  const words = { fail: red("fail"), pass: green("pass"), inconclusive: yellow("inconclusive") };
  const tell = (results: readonly CheckResult[], done: number, of: number): void => {
    for (const { name, covers, verdict, mismatches = [] } of results) {
      const [first] = mismatches;
      if (verdict === "not-run" || (verdict !== "fail" && !settings.verbose)) continue;
      const why =
        first === undefined ? "" : `: ${first.at}: expected ${first.expected}, got ${first.got}`;
      io.write(`${words[verdict]} ${covers.join(", ")} in ${name}${oneLine(why)}\n`);
    }
    if (settings.verbose) io.write(`${done} of ${of} scenarios\n`);
  };
  const program = {
    command: settings.command,
    environment: withoutOwnVariables(io.environment),
    workingDirectory: io.workingDirectory,
  };
  const judgement = { ...settings, program, only, tls, isPlain: settings.plain, signal };
  let results: readonly CheckResult[];
  try {
    results = await judgeClient({ ...judgement, onResults: tell });
  } catch (error) {
    if (!(error instanceof ProgramStartError)) throw error;
    throw wrongUsageBy(
      error,
      "the program cannot be judged:",
      "Give it as you would type it, after --.",
    );
  }
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
      baseUrl: settings.command.map(shellWord).join(" "),
      endpointId: "",
      capabilities: settings.tasks,
    },
    dialect: settings.dialect,
    results,
    allowed: settings.allowInconclusive,
    notRunReason: (id) => notShownReason(id, settings),
  });
  return { report };
}

/** Where the certificate lies that programs have to trust, for as long as they run. */
async function inScratch(
  isPlain: boolean,
  work: (tls: ScenarioSettings["tls"]) => Promise<RunEnd>,
): Promise<RunEnd> {
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
function planText(
  planned: readonly PlannedScenario[],
  { command, tasks, plain }: ClientSettings,
): string {
  const longest = planned.some(({ scenario }) => scenario.name === "runsync-held") ? 95 : 35;
  const how = plain ? "without TLS" : "over TLS, those of refusals without as well";
  return (
    `queueproof ${toolVersion()}: ${countText(planned.length, "scenario")} for ${listText(tasks)} (${how}), ` +
    `about ${longest} s: ${oneLine(command.map(shellWord).join(" "))}\n`
  );
}

function notShownReason(id: RequirementId, { only, tasks }: ClientSettings): string {
  if (!only.includes(id)) return notSelectedReason;
  if (requirements[id].profile === "receiver")
    return "it is about receivers of webhooks: give --receiver URL";
  const showing = clientScenarios.filter((scenario) => shownBy(scenario).includes(id));
  const lacking = new Set(showing.map(({ task }) => task).filter((task) => !tasks.includes(task)));
  if (showing.length > 0 && showing.every(({ task }) => lacking.has(task))) {
    return `it needs a program that can do ${listText([...lacking])}: name it in --tasks`;
  }
  const rule = trafficRules.find(({ requirement }) => requirement === id);
  return rule === undefined
    ? "none of its scenarios came to its end"
    : `the program sent nothing that would show it, such as ${rule.shownBy}`;
}

function repeatLine(
  id: string,
  { command, tasks, plain, dialect, judgesPolls }: ClientSettings,
): string {
  const options = [
    `--tasks ${tasks.join(",")}`,
    ...(plain ? ["--plain"] : []),
    ...(judgesPolls ? [] : ["--driver polls"]),
    ...(dialect === "spec" ? [] : [`--dialect ${dialect}`]),
    `--only ${id}`,
  ];
  return `npx queueproof client ${options.join(" ")} -- ${command.map(shellWord).join(" ")}`;
}
