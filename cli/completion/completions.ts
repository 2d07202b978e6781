// Imports neither checks nor writers of reports: they would be loaded at every press of a key.
import { requirementIds } from "../../openapi/requirements.ts";
import { dialects } from "../../harness/dialects/shipped.ts";
import { scenarioNames } from "../scenario-names.ts";
import { longNames, optionRows } from "../settings/options.ts";
import type { SettingName } from "../settings/options.ts";

/** The part of a command that completion needs. */
interface CompletableCommand {
  readonly usage: string;
  readonly options: readonly SettingName[];
}

export const shells = ["bash", "zsh", "fish"] as const;

/**
 * Returns the completions of the last word; empty where it is free text or a file.
 * @param words the words after the program's name; the last one may be incomplete.
 */
export function completions(
  words: readonly string[],
  commands: readonly CompletableCommand[],
): readonly string[] {
  const current = words.at(-1) ?? "";
  const [name, ...before] = words.slice(0, -1);
  const command = commands.find(({ usage }) => commandName(usage) === name);
  if (name === undefined) {
    return startingWith(current, [
      ...commands.map(({ usage }) => commandName(usage)),
      "help",
      "--help",
      "--version",
    ]);
  }
  if (command === undefined) return [];
  const asked = command.options.find((setting) => longNames(setting).includes(before.at(-1) ?? ""));
  if (asked !== undefined && optionRows[asked].kind !== "flag") return valuesOf(asked, current);
  if (current.startsWith("-")) {
    return startingWith(current, [...command.options.flatMap(longNames), "--config", "--help"]);
  }
  return startingWith(current, operandsOf(command, before));
}

function commandName(usage: string): string {
  return usage.split(" ")[0] ?? usage;
}

function startingWith(text: string, candidates: readonly string[]): readonly string[] {
  const typed = text.toLowerCase();
  return candidates.filter((candidate) => candidate.toLowerCase().startsWith(typed));
}

/** Completes a value; in a comma-separated list only the part after the last comma. */
function valuesOf(setting: SettingName, current: string): readonly string[] {
  const comma = optionRows[setting].kind === "list" ? current.lastIndexOf(",") + 1 : 0;
  const kept = current.slice(0, comma);
  return startingWith(
    current.slice(comma),
    suggestions[setting] ?? optionRows[setting].choices,
  ).map((value) => kept + value);
}

const globs = [...new Set(requirementIds.map((id) => `${id.slice(0, id.indexOf("-"))}-*`))];
const selections = [...requirementIds, ...globs];

/** Values to suggest for options that also accept others. */
const suggestions: Readonly<Partial<Record<SettingName, readonly string[]>>> = {
  only: selections,
  skip: selections,
  require: selections,
  allowInconclusive: selections,
  dialect: dialects.map(({ name }) => name),
  timeBudget: ["30s", "2m", "10m", "full"],
};

const operandsByCommand: Readonly<Record<string, readonly (readonly string[])[]>> = {
  explain: [requirementIds],
  replay: [[], requirementIds],
  completion: [shells],
  k6: [["path", "install"]],
};

/** The values of any operand, however many there are. */
const repeatedByCommand: Readonly<Record<string, readonly string[]>> = { load: scenarioNames };

function operandsOf(
  { usage, options }: CompletableCommand,
  before: readonly string[],
): readonly string[] {
  const takingValue = new Set(
    options.filter((name) => optionRows[name].kind !== "flag").flatMap(longNames),
  );
  const given = before.filter(
    (word, at) => !word.startsWith("-") && !takingValue.has(before[at - 1] ?? ""),
  );
  const name = commandName(usage);
  return repeatedByCommand[name] ?? operandsByCommand[name]?.[given.length] ?? [];
}
