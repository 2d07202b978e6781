import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import stripJsonComments from "strip-json-comments";
import { parseFile } from "../../openapi/depth.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import type { Layer } from "./check.ts";
import { configVariable } from "./strange-variables.ts";
import { environmentNames, isSettingName, longNames, optionRows } from "./options.ts";
import type { SettingName } from "./options.ts";

/** What the command line gave: a text, the texts of a repeated option, or true of a flag. */
export type FlagValue = string | readonly string[] | true;
export type Flags = Readonly<Partial<Record<SettingName, FlagValue>>>;

export const configFileName = "queueproof.config.json";

/** The options somebody typed. */
export function flagLayer(flags: Flags): Layer {
  const entries = Object.entries(flags).flatMap(([name, given]) =>
    isSettingName(name) ? [[name, valueOf(name, given)] as const] : [],
  );
  return {
    candidate: Object.fromEntries(entries),
    nameOf: (pointer) => nameOf(pointer, (setting) => longNames(setting).at(-1)),
  };
}

/** The environment variables of the settings a command knows. */
export function environmentLayer(
  settings: readonly SettingName[],
  environment: Io["environment"],
): Layer {
  const entries = settings.flatMap((setting) => {
    const given = environmentNames(setting).findLast((name) => environment[name] !== undefined);
    const text = given === undefined ? undefined : environment[given];
    return text === undefined ? [] : [[setting, valueOf(setting, text)] as const];
  });
  return {
    candidate: Object.fromEntries(entries),
    nameOf: (pointer) => nameOf(pointer, (setting) => environmentNames(setting).at(-1)),
  };
}

/**
 * The config file: the one named by `--config` or QUEUEPROOF_CONFIG, which must be there, or
 * `queueproof.config.json` in the working directory, which may be missing.
 * @throws CommandError WRONG_USAGE when it cannot be read or is not JSON.
 */
export function fileLayer(named: string | undefined, io: Io): Layer {
  const asked = named ?? io.environment[configVariable];
  const path = resolve(io.workingDirectory, asked ?? configFileName);
  const text = readConfig(path, asked !== undefined);
  return {
    candidate: withLists(parseConfig(text, path)),
    nameOf: (pointer) => `${path} ${pointer || "/"}`,
  };
}

/** A text stands for the list of it alone. */
function withLists(config: unknown): unknown {
  if (typeof config !== "object" || config === null || Array.isArray(config)) return config;
  const entries = Object.entries(config).map(([name, value]: [string, unknown]) =>
    isSettingName(name) && optionRows[name].kind === "list" && typeof value === "string"
      ? [name, [value]]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

function readConfig(path: string, required: boolean): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!required && isMissing(error)) return "{}";
    throw new CommandError("WRONG_USAGE", `the config file ${path} cannot be read`, {
      problems: [error instanceof Error ? error.message : String(error)],
      hint: "Give --config the path of a readable JSON file.",
      cause: error,
    });
  }
}

/** JSON in which comments and trailing commas are fine, as `queueproof init` writes it. */
function parseConfig(text: string, path: string): unknown {
  // What is taken out leaves spaces, so that places stay true.
  const bare = stripJsonComments(text, { trailingCommas: true });
  try {
    return parseFile(bare);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandError("WRONG_USAGE", `the config file ${path} is not JSON`, {
      problems: [`${path}:${placeIn(bare, message)}: ${message}`],
      hint: "Correct it at the place named above; comments and trailing commas are fine.",
      cause: error,
    });
  }
}

/** Line and column, as editors count them, of the place that a message of JSON.parse names. */
function placeIn(text: string, message: string): string {
  const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  const lines = text.slice(0, offset).split("\n");
  return `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Turns a text into what the schema looks at; what cannot be turned stays, and is refused there. */
function valueOf(setting: SettingName, given: FlagValue): unknown {
  const { kind, separator = "," } = optionRows[setting];
  if (given === true) return true;
  if (kind === "list") return [given].flat().flatMap((text) => text.split(separator));
  if (typeof given !== "string") return given.at(-1);
  if (kind === "integer") return /^-?\d{1,15}$/.test(given) ? Number(given) : given;
  return kind === "flag" ? switchOf(given) : given;
}

function switchOf(text: string): boolean | string {
  if (text === "1" || text === "true") return true;
  return text === "0" || text === "false" ? false : text;
}

function nameOf(pointer: string, spell: (setting: SettingName) => string | undefined): string {
  const [, key = ""] = pointer.split("/");
  return (isSettingName(key) ? spell(key) : undefined) ?? key;
}
