import { resolve } from "node:path";
import { idsOfProfile, idsThatJudge } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { Profile } from "../../openapi/profiles.ts";
import { referenceDialects } from "../../reference/dialects.ts";
import { reportFormats } from "../../reports/report-formats.ts";
import type { ClientTask } from "../../traffic/clients/client-tasks.ts";
import type { Io } from "../io.ts";
import type { ReportDemands } from "../reported-run.ts";
import { clientOptions } from "./command-options.ts";
import { readSettings, refuseUnusable } from "./resolve.ts";
import { selectIds, selectionProblemsOf } from "./selection.ts";
import type { SettingValues } from "./options.ts";
import type { GivenFlags } from "./sources.ts";

export interface ClientSettings extends ReportDemands {
  /** The program and its arguments; of no meaning beside a receiver. */
  readonly command: readonly [string, ...string[]];
  /** A receiver of webhooks that is judged in place of a program, and jobs that its application knows. */
  readonly receiver: string | undefined;
  readonly jobs: readonly string[];
  readonly capabilities: readonly Capability[];
  readonly yes: boolean;
  readonly tasks: readonly ClientTask[];
  /** Whether the program asks by HTTP alone. */
  readonly isPlain: boolean;
  readonly judgesPolls: boolean;
  readonly dialect: string;
  readonly only: readonly RequirementId[];
  readonly allowInconclusive: readonly RequirementId[];
  readonly profiles: readonly Profile[];
  readonly dryRun: boolean;
  readonly verbose: boolean;
}

/**
 * Makes the complete settings of `client`.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function clientSettings(
  words: readonly string[],
  given: GivenFlags,
  io: Io,
): ClientSettings {
  const { values, schemaProblems, semanticProblems } = readSettings(
    { settings: clientOptions, ...given },
    io,
    selectionProblemsOf("client"),
  );
  const [program, ...rest] = words;
  refuseUnusable([
    ...schemaProblems,
    ...semanticProblems,
    ...programProblems(values, program),
    ...dialectProblems(values),
  ]);
  const ids = idsThatJudge("client");
  const { only = [], profile = [], skip = [], baseline } = values;
  const profiles = [...new Set(profile)];
  const named = selectIds([...only, ...profiles.flatMap(idsOfProfile)], ids);
  const skipped = new Set(selectIds(skip, ids));
  return {
    command: [program ?? "", ...rest],
    receiver: values.receiver,
    jobs: values.job ?? [],
    capabilities: values.capability ?? [],
    yes: values.yes ?? false,
    tasks: [...new Set(values.tasks ?? (["run"] as const))],
    isPlain: values.plain ?? false,
    judgesPolls: values.driver !== "polls",
    dialect: values.dialect ?? "spec",
    only: (named.length > 0 ? named : ids).filter((id) => !skipped.has(id)),
    allowInconclusive: selectIds(values.allowInconclusive ?? [], ids),
    profiles,
    require: selectIds(values.require ?? [], ids),
    baselineFile: baseline === undefined ? undefined : resolve(io.workingDirectory, baseline),
    baselineUpdate: values.baselineUpdate ?? false,
    reportDirectory: resolve(io.workingDirectory, values.report ?? "reports/latest"),
    formats: [...new Set(values.format ?? reportFormats)],
    noBodies: values.noBodies ?? false,
    dryRun: values.dryRun ?? false,
    verbose: values.verbose ?? false,
  };
}

function programProblems(
  { receiver, job }: SettingValues,
  program: string | undefined,
): readonly string[] {
  if (receiver !== undefined) {
    return program === undefined ? [] : ["--receiver and a program are two runs: give one of them"];
  }
  return [
    ...(program === undefined
      ? ["the program is missing: give it after --, as in `queueproof client -- python client.py`"]
      : []),
    ...(job === undefined ? [] : ["--job is for a receiver: give --receiver, too"]),
  ];
}

/** Only what the reference speaks can be asked of it. */
function dialectProblems({ dialect }: SettingValues): readonly string[] {
  const names = referenceDialects.map(({ name }) => name);
  return dialect === undefined || names.includes(dialect)
    ? []
    : [`--dialect must be one of ${names.join(", ")}, which the reference speaks, got ${dialect}`];
}
