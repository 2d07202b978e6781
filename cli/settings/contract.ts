import { resolve } from "node:path";
import type { Dialect } from "../../harness/dialects/index.ts";
import { requirementIds } from "../../openapi/index.ts";
import type { Capability, RequirementId } from "../../openapi/index.ts";
import { reportFormats } from "../../reports/report-formats.ts";
import type { ReportFormat } from "../../reports/report-formats.ts";
import { CommandError } from "../errors.ts";
import type { ScenarioChoice } from "../load-scenarios.ts";
import type { Io } from "../io.ts";
import { dialectOf, withoutNeedless } from "./dialect.ts";
import { parseDurationMs } from "./duration.ts";
import { readSettings, refuseUnusable } from "./resolve.ts";
import { loadOptions } from "./command-options.ts";
import type { SettingValues } from "./options.ts";
import { selectIds, selectionProblems } from "./selection.ts";
import { sharingOf, sharingProblems } from "./sharing.ts";
import type { Sharing } from "./sharing.ts";
import type { Flags } from "./sources.ts";

/** Ten times this, and more, still fits into a timer. */
const timeoutMsMax = 3_600_000;

/** A server that is running already; without one the embedded reference is started. */
export interface GivenTarget {
  readonly baseUrl: string;
  readonly controlUrl: string | undefined;
  readonly endpointId: string | undefined;
  readonly apiKey: string | undefined;
  readonly foreignKey: string | undefined;
}

export interface ContractCommandSettings {
  readonly target: GivenTarget | undefined;
  readonly capabilities: readonly Capability[];
  /** What the target is held to. */
  readonly dialect: Dialect;
  /** As it was asked for. */
  readonly dialectGiven: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly webhookPort: number | undefined;
  /** The longest one answer may take. */
  readonly timeoutMs: number;
  readonly timeBudgetMs: number;
  /** Concrete ids; empty when all are meant. */
  readonly only: readonly RequirementId[];
  readonly skip: readonly RequirementId[];
  readonly require: readonly RequirementId[];
  /** These may stay undecided without the exit code 4. */
  readonly allowInconclusive: readonly RequirementId[];
  readonly seed: number;
  readonly waitForTargetMs: number;
  readonly baselineFile: string | undefined;
  readonly baselineUpdate: boolean;
  /** Load may be sent to another machine without a question. */
  readonly yes: boolean;
  /** What of load is wanted by name; absent: all that decides requirements. */
  readonly scenarios: ScenarioChoice | undefined;
  /** How long, and how large, the named scenarios are; absent: as they were made. */
  readonly durationMs: number | undefined;
  readonly scale: number | undefined;
  /** After this the load is stopped; absent: the plan says. */
  readonly timeLimitMs: number | undefined;
  /** How a load test is shared out. */
  readonly sharing: Sharing;
  /** Print the plan, as text or as JSON, and run nothing. */
  readonly dryRun: "text" | "json" | undefined;
  /** Wait for a key after the run, and run again what is asked for. */
  readonly watch: boolean;
  readonly reportDirectory: string;
  readonly formats: readonly ReportFormat[];
}

/**
 * The settings of one contract run, complete.
 * @throws CommandError WRONG_USAGE or NOTHING_SELECTED, naming everything that is wrong.
 */
export function contractSettings(
  flags: Flags,
  config: string | undefined,
  io: Io,
  scenarios?: ScenarioChoice,
): ContractCommandSettings {
  const { values, dialect } = usableValues(flags, config, io);
  const only = selectIds(values.only ?? []);
  const skip = selectIds(values.skip ?? []);
  refuseEmpty(only, skip);
  return Object.freeze({
    target: givenTarget(values),
    capabilities: values.capability ?? [],
    dialect,
    dialectGiven: values.dialect,
    webhookUrl: values.webhookUrl,
    webhookPort: values.webhookPort,
    ...timesOf(values),
    only,
    skip,
    require: selectIds(values.require ?? []),
    allowInconclusive: selectIds(values.allowInconclusive ?? []),
    seed: values.seed ?? 1,
    baselineFile: baselinePath(values, io),
    baselineUpdate: values.baselineUpdate ?? false,
    yes: values.yes ?? false,
    scenarios,
    ...loadSizeOf(values),
    sharing: sharingOf(values),
    dryRun: dryRunOf(values),
    watch: values.watch ?? false,
    reportDirectory: resolve(io.workingDirectory, values.report ?? "reports/latest"),
    formats: [...new Set(values.format ?? reportFormats)],
  });
}

type LoadSize = Pick<ContractCommandSettings, "durationMs" | "scale" | "timeLimitMs">;

function loadSizeOf({ duration, scale, timeLimit }: SettingValues): LoadSize {
  return {
    durationMs: duration === undefined ? undefined : parseDurationMs(duration),
    scale: scale === undefined ? undefined : Number(scale),
    timeLimitMs: timeLimit === undefined ? undefined : parseDurationMs(timeLimit),
  };
}

/** @throws CommandError WRONG_USAGE with all that is wrong, whatever it is, at once */
function usableValues(
  flags: Flags,
  config: string | undefined,
  io: Io,
): { readonly values: SettingValues; readonly dialect: Dialect } {
  let dialectPlace = "--dialect";
  const read = readSettings({ settings: loadOptions, flags, config }, io, (values, nameOf) => {
    // The last source that names one is the one that counts.
    if (values.dialect !== undefined) dialectPlace = nameOf("/dialect");
    return selectionProblems(values, nameOf);
  });
  const { dialect, error } = dialectOrError(read.values.dialect, dialectPlace, io);
  const values = withoutNeedless(read.values, dialect);
  const problems = [...read.refused, ...read.found];
  // Where a value is wrong by itself, nobody can say what is missing beside it.
  if (read.refused.length === 0) problems.push(...fitProblems(values));
  if (error !== undefined && problems.length === 0) throw error;
  if (error !== undefined) problems.push(error.message, ...error.problems);
  refuseUnusable(problems);
  return { values, dialect };
}

/** What does not fit together of values that are right by themselves. */
function fitProblems(values: SettingValues): readonly string[] {
  return [
    ...targetProblems(values),
    ...sharingProblems(values),
    ...baselineProblems(values),
    ...jsonProblems(values),
    ...watchProblems(values),
  ];
}

/** The specification's stands in where the dialect cannot be read: there is more to tell than that. */
function dialectOrError(
  given: string | undefined,
  place: string,
  io: Io,
): { readonly dialect: Dialect; readonly error?: CommandError } {
  try {
    return { dialect: dialectOf(given, io, place) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { dialect: dialectOf(undefined, io), error };
  }
}

type Times = Pick<ContractCommandSettings, "timeoutMs" | "timeBudgetMs" | "waitForTargetMs">;

function timesOf({ timeout, timeBudget, waitForTarget }: SettingValues): Times {
  return {
    timeoutMs: Math.min(parseDurationMs(timeout ?? "30s"), timeoutMsMax),
    timeBudgetMs: parseDurationMs(timeBudget ?? "2m"),
    waitForTargetMs: parseDurationMs(waitForTarget ?? "0s"),
  };
}

function baselinePath({ baseline }: SettingValues, io: Io): string | undefined {
  return baseline === undefined ? undefined : resolve(io.workingDirectory, baseline);
}

const controlSuffix = /\/__control\/*$/;

function targetProblems(values: SettingValues): readonly string[] {
  const { baseUrl, control } = values;
  if (baseUrl === undefined && control === undefined) return strayProblems(values);
  return control === undefined ? bareProblems(values) : controlProblems(values);
}

/** Without a target the reference is tested; never in silence when a server of one's own was meant. */
function strayProblems({ endpoint, apiKey, foreignKey }: SettingValues): readonly string[] {
  const given = { "--endpoint": endpoint, "--api-key": apiKey, "--foreign-key": foreignKey };
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([option]) => `${option} needs a target: give --base-url too`);
}

function bareProblems({ endpoint, apiKey, distributed }: SettingValues): readonly string[] {
  // In a cluster the key comes from a secret that is there.
  const key = distributed === undefined ? { "--api-key": apiKey } : {};
  return Object.entries({ "--endpoint": endpoint, ...key })
    .filter(([, value]) => value === undefined)
    .map(([option]) => `${option} is missing: --base-url without --control needs it`);
}

function controlProblems({ baseUrl, control = "", endpoint, apiKey }: SettingValues): string[] {
  const problems: string[] = [];
  if (baseUrl === undefined && !controlSuffix.test(control)) {
    problems.push("--base-url is missing, and --control does not end in /__control to tell it");
  }
  if ((endpoint === undefined) !== (apiKey === undefined)) {
    problems.push("--endpoint and --api-key belong together: with --control give both or neither");
  }
  return problems;
}

function givenTarget(values: SettingValues): GivenTarget | undefined {
  const baseUrl = values.baseUrl ?? values.control?.replace(controlSuffix, "");
  if (baseUrl === undefined) return undefined;
  return {
    baseUrl: withoutSlash(baseUrl),
    controlUrl: values.control === undefined ? undefined : withoutSlash(values.control),
    endpointId: values.endpoint,
    apiKey: values.apiKey,
    foreignKey: values.foreignKey,
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

function baselineProblems({ baseline, baselineUpdate }: SettingValues): string[] {
  if (baselineUpdate !== true || baseline !== undefined) return [];
  return ["--baseline-update needs --baseline FILE to know where to write"];
}

function dryRunOf({ dryRun, json }: SettingValues): ContractCommandSettings["dryRun"] {
  if (dryRun !== true) return undefined;
  return json === true ? "json" : "text";
}

function jsonProblems({ dryRun, json }: SettingValues): string[] {
  if (json !== true || dryRun === true) return [];
  return ["--json needs --dry-run; the report of a run is report.json"];
}

function watchProblems({ watch, dryRun }: SettingValues): string[] {
  if (watch !== true || dryRun !== true) return [];
  return ["--watch and --dry-run do not fit together: a plan has nothing to run again"];
}

function refuseEmpty(only: readonly RequirementId[], skip: readonly RequirementId[]): void {
  const wanted = only.length === 0 ? requirementIds : only;
  if (wanted.some((id) => !skip.includes(id))) return;
  throw new CommandError("NOTHING_SELECTED", "--only and --skip leave no requirement to check.", {
    hint: "Leave at least one: `queueproof list` shows them.",
  });
}
