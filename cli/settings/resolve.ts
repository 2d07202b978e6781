import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { checkLayer } from "./check.ts";
import type { CheckedLayer, Layer } from "./check.ts";
import { isSettingName, longNames } from "./options.ts";
import type { SettingName, SettingValues } from "./options.ts";
import { environmentLayer, fileLayer, flagLayer } from "./sources.ts";
import { cleanSent, unsendableProblems } from "./sent-values.ts";
import type { ConfigFile, GivenFlags } from "./sources.ts";

export interface Given extends GivenFlags {
  /** The settings of the command; only their environment variables are read. */
  readonly settings: readonly SettingName[];
}

/** Where a value came from: an option, a variable, or the config file. */
export type SettingSource = "typed" | "variable" | "config";

export interface ReadSettings {
  /** The valid values of all sources, merged: options win over variables, and variables over the config file. */
  readonly values: SettingValues;
  /** Where each value came from. */
  readonly sources: ReadonlyMap<SettingName, SettingSource>;
  /** The config file, where there is one. */
  readonly config: ConfigFile | undefined;
  /** Values that the schema refuses in any source; those of the file come first. */
  readonly schemaProblems: readonly string[];
  /** Problems found by the semantic validator of the command, and values that cannot be sent. */
  readonly semanticProblems: readonly string[];
  /** What was left out of values, because it cannot be meant. */
  readonly warnings: readonly string[];
}

/** Finds problems of values that are valid by themselves; `nameOf` names the place of a JSON pointer. */
export type SemanticValidator = (
  values: SettingValues,
  nameOf: Layer["nameOf"],
) => readonly string[];

/** Reads every source and checks it by the schema, then by `validateMeaning`. */
export function readSettings(
  { settings, flags, config }: Given,
  io: Io,
  validateMeaning: SemanticValidator = () => [],
): ReadSettings {
  const warnings: string[] = [];
  const check = ({ candidate, nameOf }: Layer): CheckedLayer => {
    const cleaned = cleanSent(candidate, nameOf);
    warnings.push(...cleaned.warnings);
    return checkLayer({ candidate: cleaned.candidate, nameOf });
  };
  const given = fileLayer(config, io);
  const file = check(given);
  const environment = check(environmentLayer(settings, io.environment));
  const typed = check(flagLayer(flags));
  const layers = [file, environment, typed];
  return {
    values: Object.freeze({ ...file.values, ...environment.values, ...typed.values }),
    sources: new Map([
      ...namesOf(file).map((name) => [name, "config"] as const),
      ...namesOf(environment).map((name) => [name, "variable"] as const),
      ...namesOf(typed).map((name) => [name, "typed"] as const),
    ]),
    config: given.file,
    schemaProblems: [
      ...layers.flatMap(({ problems }) => problems),
      ...typedAloneProblems(file.values, given.file?.path ?? ""),
    ],
    semanticProblems: layers.flatMap(({ values, nameOf }) =>
      unsendableProblems(values, nameOf).concat(validateMeaning(values, nameOf)),
    ),
    warnings,
  };
}

function namesOf({ values }: CheckedLayer): readonly SettingName[] {
  return Object.keys(values).filter((name) => isSettingName(name));
}

/**
 * Reads the settings of a command.
 * @throws CommandError WRONG_USAGE with every problem of every source at once.
 */
export function resolveSettings(given: Given, io: Io): SettingValues {
  const { values, schemaProblems } = readSettings(given, io);
  refuseUnusable(schemaProblems);
  return values;
}

/**
 * Reads the settings of a command, of which more has to hold than their schemas say.
 * @param othersOf finds values that do not fit together, and what is missing
 * @throws CommandError WRONG_USAGE with every problem of every source at once.
 */
export function resolveMeaningful(
  given: Given,
  io: Io,
  validateMeaning: SemanticValidator,
  othersOf: (values: SettingValues) => readonly string[] = () => [],
): SettingValues {
  const { values, schemaProblems, semanticProblems } = readSettings(given, io, validateMeaning);
  refuseUnusable([...schemaProblems, ...semanticProblems, ...othersOf(values)]);
  return values;
}

/** @throws CommandError WRONG_USAGE where there are problems */
export function refuseUnusable(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new CommandError("WRONG_USAGE", "these settings cannot be used:", {
    problems,
    hint: "Correct each of them; `queueproof help COMMAND` describes every option.",
  });
}

/** What a config file may not say, because it would do more than who runs the command asked for. */
function typedAloneProblems(file: SettingValues, path: string): readonly string[] {
  const named = [
    ...(file.baselineUpdate === true ? (["baselineUpdate"] as const) : []),
    // It names code that is run.
    ...(file.handler === undefined ? [] : (["handler"] as const)),
    // It is a command.
    ...(file.hook === undefined ? [] : (["hook"] as const)),
  ];
  return named.map(
    (name) =>
      `${path} /${name}: give ${longNames(name).at(-1) ?? ""} on the command line, and take it out here`,
  );
}
