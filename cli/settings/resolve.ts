import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { checkLayer } from "./check.ts";
import type { CheckedLayer, Layer } from "./check.ts";
import { isSettingName } from "./options.ts";
import type { SettingName, SettingValues } from "./options.ts";
import { environmentLayer, fileLayer, flagLayer } from "./sources.ts";
import type { Flags } from "./sources.ts";

export interface Given {
  /** The settings the command knows: only their variables are read. */
  readonly settings: readonly SettingName[];
  readonly flags: Flags;
  /** What `--config` named. */
  readonly config: string | undefined;
}

export interface ReadSettings {
  /** What is right of every source, merged: an option before a variable before the config file. */
  readonly values: SettingValues;
  /** The settings whose value a variable gave. */
  readonly fromEnvironment: ReadonlySet<SettingName>;
  /** What the schema refuses, of every source, the file's first. */
  readonly refused: readonly string[];
  /** What the further look has found. */
  readonly found: readonly string[];
}

/** Finds what is wrong with values that are right by themselves; `nameOf` spells a JSON pointer. */
export type FurtherJudgement = (
  values: SettingValues,
  nameOf: Layer["nameOf"],
) => readonly string[];

/** Reads every source; `look` judges further what each of them says. */
export function readSettings(
  { settings, flags, config }: Given,
  io: Io,
  look: FurtherJudgement = () => [],
): ReadSettings {
  const checkedLayer = (layer: Layer): CheckedLayer & { readonly found: readonly string[] } => {
    const checked = checkLayer(layer);
    return { ...checked, found: look(checked.values, layer.nameOf) };
  };
  const file = checkedLayer(fileLayer(config, io));
  const environment = checkedLayer(environmentLayer(settings, io.environment));
  const typed = checkedLayer(flagLayer(flags));
  return {
    values: Object.freeze({ ...file.values, ...environment.values, ...typed.values }),
    fromEnvironment: new Set(
      Object.keys(environment.values)
        .filter((name) => isSettingName(name))
        .filter((name) => typed.values[name] === undefined),
    ),
    refused: [file, environment, typed].flatMap(({ problems }) => problems),
    found: [file, environment, typed].flatMap(({ found }) => found),
  };
}

/**
 * What somebody asked for.
 * @throws CommandError WRONG_USAGE with every problem of every source at once.
 */
export function resolveSettings(given: Given, io: Io): SettingValues {
  const { values, refused } = readSettings(given, io);
  refuseUnusable(refused);
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
