import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { checkLayer } from "./check.ts";
import type { SettingName, SettingValues } from "./schema.ts";
import { environmentLayer, fileLayer, flagLayer } from "./sources.ts";
import type { Flags } from "./sources.ts";

export interface Given {
  /** The settings the command knows: only their variables are read. */
  readonly settings: readonly SettingName[];
  readonly flags: Flags;
  /** What `--config` named. */
  readonly config: string | undefined;
}

/**
 * What somebody asked for: an option before an environment variable before the config file.
 * @throws CommandError WRONG_USAGE with every problem of every source at once.
 */
export function resolveSettings({ settings, flags, config }: Given, io: Io): SettingValues {
  const file = checkLayer(fileLayer(config, io));
  const environment = checkLayer(environmentLayer(settings, io.environment));
  const typed = checkLayer(flagLayer(flags));
  const problems = [file, environment, typed].flatMap((layer) => layer.problems);
  if (problems.length > 0) {
    throw new CommandError("WRONG_USAGE", "These settings cannot be used:", {
      problems,
      hint: "Correct each of them; `queueproof help` and README.md list what there is.",
    });
  }
  return Object.freeze({ ...file.values, ...environment.values, ...typed.values });
}
