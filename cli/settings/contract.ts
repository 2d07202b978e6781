import { defaultBudgetMs } from "../../harness/time-budget.ts";
import type { RequestOptions } from "../../client/request-rules.ts";
import type { Dialect } from "../../harness/dialects/schema.ts";
import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import { idsOfProfile, requirementIds } from "../../openapi/requirements.ts";
import { isJobKind } from "../../openapi/capabilities.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { CommandError } from "../errors.ts";
import type { HookCommands } from "../../load/hooks/hook-names.ts";
import type { Mix } from "../../load/open-loop/mix.ts";
import type { Objective } from "../../load/objectives/objectives-file.ts";
import type { ScenarioChoice } from "../load-scenarios.ts";
import type { Io } from "../io.ts";
import { configUseOf } from "./config-use.ts";
import { repeatWordsOf } from "./repeat-words.ts";
import type { RepeatWords } from "../../reports/repeat-line.ts";
import type { ConfigUse } from "./config-use.ts";
import { dialectOf, withPlaceholders } from "./dialect.ts";
import { durationMsIfGiven, parseDurationMs } from "./duration.ts";
import { givenTarget, targetProblems } from "./given-target.ts";
import type { GivenTarget } from "./given-target.ts";
import type { JobTest } from "../../harness/inputs/tests-file.ts";
import { jobsProblems, jobTestsOf, ownJobsOf } from "./jobs.ts";
import { requestedReportOf } from "./report-demands.ts";
import type { RequestedReport } from "./report-demands.ts";
import { requestsOf } from "./requests.ts";
import { readSettings, refuseUnusable } from "./resolve.ts";
import type { ReadSettings } from "./resolve.ts";
import { loadOptions } from "./command-options.ts";
import type { SettingValues } from "./options.ts";
import { selectedIds, selectIds, selectionProblems } from "./selection.ts";
import { mixOf, objectivesOf } from "./load-files.ts";
import { sharingOf, sharingProblems } from "./sharing.ts";
import type { Sharing } from "./sharing.ts";
import type { Flags } from "./sources.ts";

/** Even ten times this and more fits into a timer. */
const timeoutMsMax = 3_600_000;

/** The commands that check a target. */
export type RunCommand = "contract" | "load" | "run";

export interface ContractCommandSettings extends RequestedReport {
  readonly target: GivenTarget | undefined;
  /** Whether the embedded reference was asked for by name. */
  readonly reference: boolean;
  /** What was left out of settings, because it cannot be meant. */
  readonly warnings: readonly string[];
  /** The config file, and what it decides of where requests go; undefined where there is none. */
  readonly configUse: ConfigUse | undefined;
  /** What a line that repeats a failure says besides the report. */
  readonly repeatWords: RepeatWords;
  /** What every request to the target carries, and how it gets there. */
  readonly requests: RequestOptions;
  readonly capabilities: readonly Capability[];
  /** Jobs that the endpoint's own workers can run. */
  readonly jobs: OwnJobKinds | undefined;
  /** Tests in place of a jobs file: which kinds they are is seen when they run. */
  readonly jobTests: readonly JobTest[] | undefined;
  /** The dialect that the target is held to. */
  readonly dialect: Dialect;
  /** The dialect as the user gave it: a name or a file. */
  readonly dialectGiven: string | undefined;
  /** Whether the run adapts to what it learns of the target. */
  readonly discovers: boolean;
  /** How many requests a second the target takes; undefined: that is found out. */
  readonly requestsPerSecond: number | undefined;
  readonly webhookUrl: string | undefined;
  readonly webhookPort: number | undefined;
  /** The longest that one answer may take. */
  readonly timeoutMs: number;
  readonly timeBudgetMs: number;
  /** Concrete ids, those of the profiles included; empty means all. */
  readonly only: readonly RequirementId[];
  readonly skip: readonly RequirementId[];
  readonly seed: number;
  readonly waitForTargetMs: number;
  /** Whether load may be sent to another machine without a question. */
  readonly yes: boolean;
  /** The load that was named; absent: everything that decides requirements. */
  readonly scenarios: ScenarioChoice | undefined;
  /** Duration and scale of the named scenarios; absent: their defaults. */
  readonly durationMs: number | undefined;
  readonly scale: number | undefined;
  /** What `load mix` and scenarios with faults send; absent: the default. */
  readonly mix: Mix | undefined;
  /** What the owner promises. */
  readonly objectives: readonly Objective[];
  /** The owner's commands for scenarios with faults. */
  readonly hooks: HookCommands;
  /** Time after which the load is stopped; absent: derived from the plan. */
  readonly timeLimitMs: number | undefined;
  /** The most that load may send; absent: no limit. */
  readonly maxJobs: number | undefined;
  readonly maxRequests: number | undefined;
  /** How a load test is divided among runners. */
  readonly sharing: Sharing;
  /** Prints the plan, as text or JSON, and runs nothing. */
  readonly dryRun: "text" | "json" | undefined;
  /** Waits for a key after the run, and then runs again what the key asks for. */
  readonly watch: boolean;
  /** Ends the run at the first failure. */
  readonly failFast: boolean;
  /** The report of an earlier run; checks that failed or were undecided in it run first. */
  readonly earlierReportFile: string | undefined;
}

/**
 * Makes the complete settings of a run.
 * @throws CommandError WRONG_USAGE or NOTHING_SELECTED, naming everything that is wrong.
 */
export function contractSettings(
  flags: Flags,
  config: string | undefined,
  io: Io,
  scenarios?: ScenarioChoice,
): ContractCommandSettings {
  const { values: given, ...known } = usableValues(flags, config, io);
  const values = { ...defaults, ...given };
  const demands = requestedReportOf(given, requirementIds, io);
  const only = selectIds([...values.only, ...demands.profiles.flatMap(idsOfProfile)]);
  const skip = selectIds(values.skip);
  if (selectedIds({ only, skip }).size === 0) throw nothingSelected();
  const { webhookUrl, webhookPort, seed, maxJobs, maxRequests, yes, watch, failFast } = values;
  return Object.freeze({
    ...demands,
    ...known,
    target: givenTarget(given),
    reference: values.reference,
    // The jobs themselves say which kinds there are.
    capabilities: values.capability.filter((name) => !isJobKind(name)),
    jobs: ownJobsOf(given, io),
    jobTests: jobTestsOf(given, io),
    dialectGiven: given.dialect,
    discovers: !values.noDiscovery,
    requestsPerSecond: values.rate,
    webhookUrl,
    webhookPort,
    timeoutMs: Math.min(parseDurationMs(values.timeout), timeoutMsMax),
    timeBudgetMs: durationMsIfGiven(values.timeBudget) ?? defaultBudgetMs,
    waitForTargetMs: parseDurationMs(values.waitForTarget),
    only,
    skip,
    seed,
    earlierReportFile: values.onlyChanged,
    scenarios,
    ...ofScenarios(given, io),
    timeLimitMs: durationMsIfGiven(values.timeLimit),
    maxJobs,
    maxRequests,
    sharing: sharingOf(values),
    yes,
    dryRun: dryRunOf(values),
    watch,
    failFast,
  });
}

/** How large the named scenarios are, and what they are told. */
function ofScenarios(
  given: SettingValues,
  io: Io,
): Pick<ContractCommandSettings, "durationMs" | "scale" | "hooks" | "mix" | "objectives"> {
  const { duration, scale } = given;
  return {
    durationMs: durationMsIfGiven(duration),
    scale: scale === undefined ? undefined : Number(scale),
    hooks: hooksOf(given.hook),
    mix: mixOf(given, io),
    objectives: objectivesOf(given, io),
  };
}

/** The commands of `name=command`; of two for one name the last counts. */
function hooksOf(given: readonly string[] = []): HookCommands {
  return Object.fromEntries(
    given.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]),
  );
}

/** What holds where no source gives a setting. */
const defaults = {
  capability: [],
  timeout: "30s",
  waitForTarget: "0s",
  only: [],
  skip: [],
  seed: 1,
  yes: false,
  watch: false,
  reference: false,
  noDiscovery: false,
  failFast: false,
} satisfies SettingValues;

/** @throws CommandError WRONG_USAGE that names all problems of every kind at once */
function usableValues(
  flags: Flags,
  config: string | undefined,
  io: Io,
): Pick<
  ContractCommandSettings,
  "dialect" | "requests" | "warnings" | "configUse" | "repeatWords"
> & {
  readonly values: SettingValues;
} {
  let dialectPlace = "--dialect";
  const read = readSettings({ settings: loadOptions, flags, config }, io, (values, nameOf) => {
    // The last source that names a dialect counts.
    if (values.dialect !== undefined) dialectPlace = nameOf("/dialect");
    return selectionProblems(values, nameOf);
  });
  const { dialect, error } = dialectOrError(read.values.dialect, dialectPlace, io);
  const values = withPlaceholders(withoutLoneVariable(read), dialect);
  const problems = [...read.schemaProblems, ...read.semanticProblems];
  // Where a value itself is wrong, it is unknown what is missing beside it.
  const { requests, problems: unusable } = requestsOf(values, io);
  if (read.schemaProblems.length === 0) problems.push(...fitProblems(values, io), ...unusable);
  if (error !== undefined && problems.length === 0) throw error;
  if (error !== undefined) problems.push(error.message, ...error.problems);
  refuseUnusable(problems);
  const { warnings } = read;
  const repeatWords = repeatWordsOf(read);
  return { values, dialect, requests, warnings, repeatWords, configUse: configUseOf(read) };
}

/**
 * Drops a key or an endpoint that comes alone from a variable where a control protocol is given: it was exported for
 * another command, such as a curl line of a report, and the run makes fresh endpoints.
 */
function withoutLoneVariable({ values, sources }: ReadSettings): SettingValues {
  const { control, endpoint, apiKey, ...rest } = values;
  const isLone = control !== undefined && (endpoint === undefined) !== (apiKey === undefined);
  const isVariable = sources.get(endpoint === undefined ? "apiKey" : "endpoint") === "variable";
  return isLone && isVariable ? { ...rest, control } : values;
}

/** Finds values that are valid by themselves but do not fit together. */
function fitProblems(values: SettingValues, io: Io): readonly string[] {
  return [
    ...targetProblems(values, io),
    ...sharingProblems(values),
    ...baselineProblems(values),
    ...jobsProblems(values),
    ...jsonProblems(values),
    ...watchProblems(values),
  ];
}

/** Returns the specification's dialect with an error where one cannot be read, so that other problems are found. */
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

function nothingSelected(): CommandError {
  const problem = "--only, --profile and --skip leave no requirement to check";
  const hint = "Leave at least one: `queueproof list` shows them.";
  return new CommandError("NOTHING_SELECTED", problem, { hint });
}
