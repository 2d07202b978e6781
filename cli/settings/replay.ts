import { isLoopback } from "../../client/endpoint-address.ts";
import { parseJobs } from "../../harness/inputs/jobs-file.ts";
import { controlCapabilities, isJobKind } from "../../openapi/capabilities.ts";
import { requirements } from "../../openapi/requirements.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Report } from "../../reports/model.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { requestOptions } from "./command-options.ts";
import { contractSettings } from "./contract.ts";
import type { ContractCommandSettings } from "./contract.ts";
import { environmentNames } from "./options.ts";
import type { SettingName } from "./options.ts";
import type { Flags, GivenFlags } from "./sources.ts";

export interface ReplaySource {
  readonly id: RequirementId;
  readonly file: string;
  readonly given: GivenFlags;
}

/** Settings that the report holds: they come only from the report or from typed options. */
const settingsInReport = [
  ...(["baseUrl", "endpoint", "control", "capability", "dialect", "seed", "only", "skip"] as const),
  ...([
    "require",
    "allowInconclusive",
    "baseline",
    "baselineUpdate",
    "report",
    "dryRun",
    "json",
    "watch",
  ] as const),
] satisfies readonly SettingName[];

/**
 * Makes the settings that repeat one requirement of a report. Keys come from options or the environment, since a report
 * holds none.
 * @throws CommandError WRONG_USAGE, naming what is missing or does not fit
 */
export function replaySettings(
  report: Report,
  { id, file, given }: ReplaySource,
  io: Io,
): ContractCommandSettings {
  const { flags } = given;
  demandOneRun(report, file);
  const aimed = flags.baseUrl !== undefined || flags.control !== undefined;
  const reference = report.target.embedded === true && !aimed;
  const again: Flags = {
    ...flagsOf(report),
    only: [id],
    ...(reference && { reference }),
    ...flags,
  };
  const settings = settingsOrError(again, { file, given }, withoutReportVariables(report, io));
  if (settings.dialect.name !== (report.dialect ?? "spec") && flags.dialect !== undefined) {
    io.writeError(`warning: ${file} was made with the dialect ${report.dialect ?? "spec"}\n`);
  }
  demandWhatReportsLack(report, { id, given, file }, settings);
  return {
    ...settings,
    jobs: settings.jobs ?? jobsIn(report, file),
    profiles: [],
    only: [id],
    skip: [],
    require: [],
    allowInconclusive: [],
    baselineFile: undefined,
    baselineUpdate: false,
    dryRun: undefined,
    watch: false,
    ...(reference && { target: undefined }),
  };
}

/** @throws CommandError WRONG_USAGE where the report's jobs are not usable */
function jobsIn({ settings }: Report, file: string): ContractCommandSettings["jobs"] {
  if (settings?.jobs === undefined) return undefined;
  const parsed = parseJobs(settings.jobs);
  if (parsed.ok) return parsed.jobs;
  throw new CommandError("WRONG_USAGE", `${file} names no usable jobs:`, {
    problems: parsed.problems,
    hint: "Give them by --jobs FILE.",
  });
}

/** Refuses a merged report of different targets: it lists their values side by side. */
function demandOneRun({ target, dialect = "" }: Report, file: string): void {
  const isOne = ![target.baseUrl, target.endpointId, dialect].some((text) => text.includes(", "));
  if (isOne) return;
  throw new CommandError("WRONG_USAGE", `${file} puts runs of different targets together`, {
    hint: "Replay the report.json of one of these runs.",
  });
}

/**
 * Demands what the requirement needed in the report's run but no report holds.
 * @throws CommandError WRONG_USAGE, naming it
 */
function demandWhatReportsLack(
  { target: before }: Report,
  { id, file, given }: ReplaySource,
  { target, webhookUrl }: ContractCommandSettings,
): void {
  if (target === undefined || given.flags.control !== undefined) return;
  const needs = (name: Capability): boolean =>
    requirements[id].needs.includes(name) && before.capabilities.includes(name);
  const lacking = (what: string, hint: string): CommandError =>
    new CommandError("WRONG_USAGE", `${id} needs ${what}, which ${file} does not hold`, { hint });
  if (needs("foreignKey") && isShared(before) && target.foreignKey === undefined) {
    const hint = "Add --foreign-key KEY, or set QUEUEPROOF_FOREIGN_KEY.";
    throw lacking("a key without permission for the endpoint", hint);
  }
  if (needs("webhook") && !isLoopback(target.baseUrl) && webhookUrl === undefined) {
    const hint = "Add --webhook-url URL, or set QUEUEPROOF_WEBHOOK_URL.";
    throw lacking("a public URL that leads to the webhook receiver", hint);
  }
}

function settingsOrError(
  flags: Flags,
  { file, given }: Pick<ReplaySource, "file" | "given">,
  io: Io,
): ContractCommandSettings {
  try {
    return contractSettings(flags, given.config, io);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (error.problems.some((problem) => problem.startsWith("--api-key is missing"))) {
      throw keyMissing(file, flags, error);
    }
    throw new CommandError(
      error.code,
      `${file} does not tell all that is needed: ${error.message}`,
      {
        problems: error.problems,
        hint: "Give what is missing as an option: --dialect FILE for a dialect of your own.",
        cause: error,
      },
    );
  }
}

function keyMissing(file: string, { baseUrl }: Flags, cause: CommandError): CommandError {
  const where = String(baseUrl);
  return new CommandError("WRONG_USAGE", `${file} holds no key, and ${where} asks for one`, {
    problems: cause.problems,
    hint: `Add --api-key KEY, or set QUEUEPROOF_API_KEY, and QUEUEPROOF_BASE_URL=${where} to say where that key may go.`,
    cause,
  });
}

function flagsOf({ target, seed, dialect, settings = {} }: Report): Flags {
  const { baseUrl, endpointId, controlUrl, capabilities, embedded } = target;
  // The jobs themselves say which kinds there are.
  const declared = capabilities.filter((name) => !foundOut.has(name) && !isJobKind(name));
  const where: Flags =
    embedded === true
      ? {}
      : {
          baseUrl,
          ...(controlUrl !== undefined && { control: controlUrl }),
          ...(endpointId !== "" && { endpoint: endpointId }),
          ...(declared.length > 0 && { capability: declared }),
        };
  return {
    ...where,
    seed: String(seed),
    timeBudget: settings.timeBudgetMs === undefined ? "full" : `${settings.timeBudgetMs}ms`,
    ...(settings.timeoutMs !== undefined && { timeout: `${settings.timeoutMs}ms` }),
    ...(settings.webhookPort !== undefined && { webhookPort: String(settings.webhookPort) }),
    // reports/latest is not used, because the replayed report is often there.
    report: "reports/replay",
    ...(dialect !== undefined && { dialect: settings.dialectFile ?? dialect }),
  };
}

/** Capabilities that are detected again from the control protocol or the foreign key. */
const foundOut: ReadonlySet<string> = new Set([...controlCapabilities, "foreignKey"]);

/** Whether the checks used an existing endpoint and its keys. */
function isShared({ embedded, controlUrl, endpointId }: Report["target"]): boolean {
  return embedded !== true && (controlUrl === undefined || endpointId !== "");
}

/** Drops variables of settings that the report holds: one that was set for another run would change the target. */
function withoutReportVariables({ target }: Report, io: Io): Io {
  const keys: readonly SettingName[] = isShared(target) ? [] : ["apiKey", "foreignKey"];
  const ofTarget: readonly SettingName[] = target.embedded === true ? requestOptions : [];
  const dropped = new Set([...settingsInReport, ...keys, ...ofTarget].flatMap(environmentNames));
  const environment = Object.fromEntries(
    Object.entries(io.environment).filter(([name]) => !dropped.has(name)),
  );
  return { ...io, environment };
}
