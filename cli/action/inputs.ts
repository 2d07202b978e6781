import { loadOptions, workerOptions } from "../settings/command-options.ts";
import { environmentNames, longNames, optionRows } from "../settings/options.ts";
import type { SettingName } from "../settings/options.ts";

/** One input of the GitHub action, and the variable in which the command line finds it. */
export interface ActionInput {
  readonly name: string;
  readonly variable: string;
  readonly description: string;
  /** Whether it is a file for the command line, whose content may be given in its place. */
  readonly isFile: boolean;
}

/** Options that are not inputs: nobody reads along in a pipeline, and the action shows the report itself. */
const leftOut: ReadonlySet<SettingName> = new Set(["json", "dryRun"]);

const ofFiles: ReadonlySet<SettingName> = new Set([
  "jobs",
  "baseline",
  "ca",
  "cert",
  "certKey",
  "dialect",
  "tests",
]);

/** The options of `queueproof run` and of `queueproof worker`, as inputs. */
export const actionInputs: readonly ActionInput[] = [...new Set([...loadOptions, ...workerOptions])]
  .filter((setting) => !leftOut.has(setting))
  .map((setting) => ({
    name: (longNames(setting).at(-1) ?? "").slice(2),
    variable: environmentNames(setting).at(-1) ?? "",
    description: ofFiles.has(setting)
      ? `${optionRows[setting].description}: a path, or the content itself`
      : optionRows[setting].description,
    isFile: ofFiles.has(setting),
  }));
