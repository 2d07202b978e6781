import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { checkLayer } from "./check.ts";
import type { CheckedLayer, Layer } from "./check.ts";
import { isSettingName } from "./options.ts";
import type { SettingName, SettingValues } from "./options.ts";
import { environmentLayer, fileLayer, flagLayer } from "./sources.ts";
import { cleanSent, unsendableProblems } from "./sent-values.ts";
import type { GivenFlags } from "./sources.ts";

export interface Given extends GivenFlags {
  /** The settings of the command; only their environment variables are read. */
  readonly settings: readonly SettingName[];
}

export interface ReadSettings {
  /** The valid values of all sources, merged: options win over variables, and variables over the config file. */
  readonly values: SettingValues;
  /** The settings whose value came from a variable. */
  readonly fromEnvironment: ReadonlySet<SettingName>;
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
  const file = check(fileLayer(config, io));
  const environment = check(environmentLayer(settings, io.environment));
  const typed = check(flagLayer(flags));
  const layers = [file, environment, typed];
  return {
    values: Object.freeze({ ...file.values, ...environment.values, ...typed.values }),
    fromEnvironment: new Set(
      Object.keys(environment.values)
        .filter((name) => isSettingName(name))
        .filter((name) => typed.values[name] === undefined),
    ),
    schemaProblems: layers.flatMap(({ problems }) => problems),
    semanticProblems: layers.flatMap(({ values, nameOf }) =>
      unsendableProblems(values, nameOf).concat(validateMeaning(values, nameOf)),
    ),
    warnings,
  };
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

/** @throws CommandError WRONG_USAGE where there are problems */
export function refuseUnusable(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new CommandError("WRONG_USAGE", "these settings cannot be used:", {
    problems,
    hint: "Correct each of them; `queueproof help COMMAND` describes every option.",
  });
}
