import { resolve } from "node:path";
import { withoutTrailingSlash } from "../../client/without-trailing-slash.ts";
import type { RequestOptions } from "../../client/index.ts";
import type { Dialect } from "../../harness/dialects/index.ts";
import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import { idsOfProfile, jobKinds, requirementIds } from "../../openapi/index.ts";
import type { Capability, Profile, RequirementId } from "../../openapi/index.ts";
import { reportFormats } from "../../reports/report-formats.ts";
import type { ReportFormat } from "../../reports/report-formats.ts";
import { CommandError } from "../errors.ts";
import type { ScenarioChoice } from "../load-scenarios.ts";
import type { Io } from "../io.ts";
import { isCommonWord } from "./common-word.ts";
import { dialectOf, withoutNeedless } from "./dialect.ts";
import { parseDurationMs } from "./duration.ts";
import { jobsProblems, ownJobsOf } from "./jobs.ts";
import { requestsOf } from "./requests.ts";
import { readSettings, refuseUnusable } from "./resolve.ts";
import type { ReadSettings } from "./resolve.ts";
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
  /** More endpoints of the same kind: checks that need one to themselves run side by side. */
  readonly otherEndpointIds?: readonly string[];
  readonly apiKey: string | undefined;
  readonly foreignKey: string | undefined;
}

/** The commands that check a target. */
export type RunCommand = "contract" | "load" | "run";

export interface ContractCommandSettings {
  readonly target: GivenTarget | undefined;
  /** What every request to the target carries, and how it gets there. */
  readonly requests: RequestOptions;
  readonly capabilities: readonly Capability[];
  /** What the endpoint's own workers can be asked to do. */
  readonly jobs: OwnJobKinds | undefined;
  /** What the target is held to. */
  readonly dialect: Dialect;
  /** The dialect as it was given: a name or a file. */
  readonly dialectGiven: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly webhookPort: number | undefined;
  /** The longest one answer may take. */
  readonly timeoutMs: number;
  readonly timeBudgetMs: number;
  /** These are asked for: their requirements are among those of `only`, and each has to be decided. */
  readonly profiles: readonly Profile[];
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
  /** The most that load may send; absent: whatever it takes. */
  readonly maxJobs: number | undefined;
  readonly maxRequests: number | undefined;
  /** How a load test is shared out. */
  readonly sharing: Sharing;
  /** Print the plan, as text or as JSON, and run nothing. */
  readonly dryRun: "text" | "json" | undefined;
  /** Wait for a key after the run, and run again what is asked for. */
  readonly watch: boolean;
  /** A line for each check. */
  readonly verbose: boolean;
  /** End the run at the first failure. */
  readonly failFast: boolean;
  /** The report of an earlier run: what it did not find in order is checked first. */
  readonly earlierReportFile: string | undefined;
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
  const { values, dialect, requests } = usableValues(flags, config, io);
  const profiles = [...new Set(values.profile ?? [])];
  const only = selectIds([...(values.only ?? []), ...profiles.flatMap(idsOfProfile)]);
  const skip = selectIds(values.skip ?? []);
  refuseEmpty(only, skip);
  return Object.freeze({
    target: givenTarget(values),
    requests,
    ...workOf(values, io),
    dialect,
    dialectGiven: values.dialect,
    webhookUrl: values.webhookUrl,
    webhookPort: values.webhookPort,
    ...timesOf(values),
    profiles,
    only,
    skip,
    require: selectIds(values.require ?? []),
    allowInconclusive: selectIds(values.allowInconclusive ?? []),
    seed: values.seed ?? 1,
    baselineFile: baselinePath(values, io),
    earlierReportFile: values.onlyChanged,
    scenarios,
    ...loadSizeOf(values),
    sharing: sharingOf(values),
    ...switchesOf(values),
    reportDirectory: resolve(io.workingDirectory, values.report ?? "reports/latest"),
    formats: [...new Set(values.format ?? reportFormats)],
  });
}

/** Which kinds of jobs there are is what the jobs say. */
function workOf(
  values: SettingValues,
  io: Io,
): Pick<ContractCommandSettings, "capabilities" | "jobs"> {
  const given = values.capability ?? [];
  return {
    capabilities: given.filter((name) => !jobKinds.some((kind) => kind === name)),
    jobs: ownJobsOf(values, io),
  };
}

type Switches = Pick<
  ContractCommandSettings,
  "baselineUpdate" | "yes" | "dryRun" | "watch" | "verbose" | "failFast"
>;

function switchesOf(values: SettingValues): Switches {
  const { baselineUpdate = false, yes = false, watch = false, verbose = false } = values;
  const { failFast = false } = values;
  return { baselineUpdate, yes, dryRun: dryRunOf(values), watch, verbose, failFast };
}

type LoadSize = Pick<
  ContractCommandSettings,
  "durationMs" | "scale" | "timeLimitMs" | "maxJobs" | "maxRequests"
>;

function loadSizeOf(values: SettingValues): LoadSize {
  const { duration, scale, timeLimit, maxJobs, maxRequests } = values;
  return {
    maxJobs,
    maxRequests,
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
): Pick<ContractCommandSettings, "dialect" | "requests"> & { readonly values: SettingValues } {
  let dialectPlace = "--dialect";
  const read = readSettings({ settings: loadOptions, flags, config }, io, (values, nameOf) => {
    // The last source that names one is the one that counts.
    if (values.dialect !== undefined) dialectPlace = nameOf("/dialect");
    return selectionProblems(values, nameOf);
  });
  const { dialect, error } = dialectOrError(read.values.dialect, dialectPlace, io);
  const values = withoutNeedless(withoutLoneVariable(read), dialect);
  const problems = [...read.refused, ...read.found];
  // Where a value is wrong by itself, nobody can say what is missing beside it.
  const { requests, problems: unusable } = requestsOf(values, io);
  if (read.refused.length === 0) problems.push(...fitProblems(values), ...unusable);
  if (error !== undefined && problems.length === 0) throw error;
  if (error !== undefined) problems.push(error.message, ...error.problems);
  refuseUnusable(problems);
  return { values, dialect, requests };
}

/**
 * Without a key, or an endpoint, that only a variable names beside a control protocol: it was exported for another
 * command, such as a curl line of a report, and fresh endpoints are made.
 */
function withoutLoneVariable({ values, fromEnvironment }: ReadSettings): SettingValues {
  const { control, endpoint, apiKey, ...rest } = values;
  const isLone = control !== undefined && (endpoint === undefined) !== (apiKey === undefined);
  const isVariable = fromEnvironment.has(endpoint === undefined ? "apiKey" : "endpoint");
  return isLone && isVariable ? { ...rest, control } : values;
}

/** What does not fit together of values that are right by themselves. */
function fitProblems(values: SettingValues): readonly string[] {
  return [
    ...targetProblems(values),
    ...sharingProblems(values),
    ...baselineProblems(values),
    ...jobsProblems(values),
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
  const missing = control === undefined ? bareProblems(values) : controlProblems(values);
  return [...versionProblems(values), ...wordProblems(values), ...missing];
}

/** A key that is a word would be taken out of every sentence that holds it. */
function wordProblems({ apiKey, foreignKey }: SettingValues): readonly string[] {
  return Object.entries({ "--api-key": apiKey, "--foreign-key": foreignKey })
    .filter(([, key]) => key !== undefined && isCommonWord(key))
    .map(
      ([option]) =>
        `${option} is a common word, and reports would show *** wherever that word stands: give the endpoint a key that is none`,
    );
}

/** Every path begins with /v2 already. */
function versionProblems({ baseUrl = "" }: SettingValues): readonly string[] {
  if (!/\/v2\/*$/.test(baseUrl)) return [];
  return ["--base-url ends in /v2, which every request adds: drop /v2 from --base-url"];
}

/** Without a target the reference is tested; never in silence when a server of one's own was meant. */
function strayProblems(values: SettingValues): readonly string[] {
  const given = {
    "--endpoint": values.endpoint,
    "--api-key": values.apiKey,
    "--foreign-key": values.foreignKey,
    "--header": values.header,
    "--ca": values.ca,
    "--cert": values.cert,
    "--cert-key": values.certKey,
    "--proxy": values.proxy,
  };
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
  const [endpointId, ...otherEndpointIds] = new Set(values.endpoint);
  return {
    baseUrl: withoutTrailingSlash(baseUrl),
    controlUrl: values.control === undefined ? undefined : withoutTrailingSlash(values.control),
    endpointId,
    otherEndpointIds,
    apiKey: values.apiKey,
    foreignKey: values.foreignKey,
  };
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
  throw new CommandError(
    "NOTHING_SELECTED",
    "--only, --profile and --skip leave no requirement to check",
    {
      hint: "Leave at least one: `queueproof list` shows them.",
    },
  );
}
