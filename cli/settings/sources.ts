import { existsSync } from "node:fs";
import { resolve } from "node:path";
import stripJsonComments from "strip-json-comments";
import { parseFile } from "../../openapi/depth.ts";
import { CommandError, messageOf } from "../errors.ts";
import type { Io } from "../io.ts";
import { readTextFile } from "../text-file.ts";
import type { Layer } from "./check.ts";
import { configVariable } from "./unknown-variables.ts";
import { environmentNames, isSettingName, longNames, optionRows } from "./options.ts";
import type { SettingName } from "./options.ts";

/** A value from the command line: a text, the texts of a repeated option, or true for a flag. */
export type FlagValue = string | readonly string[] | true;
export type Flags = Readonly<Partial<Record<SettingName, FlagValue>>>;

/** What was typed: the options of a command, and the path after `--config`. */
export interface GivenFlags {
  readonly flags: Flags;
  readonly config: string | undefined;
}

export const configFileName = "queueproof.config.json";

/** The options that were typed. */
export function flagLayer(flags: Flags): Layer {
  const entries = Object.entries(flags).flatMap(([name, given]) =>
    isSettingName(name) ? [[name, valueOf(name, given)] as const] : [],
  );
  return {
    candidate: Object.fromEntries(entries),
    nameOf: (pointer) => nameOf(pointer, (setting) => longNames(setting).at(-1)),
  };
}

/** The environment variables of the command's settings. */
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

/** The settings that name a target. */
const namingTarget: readonly SettingName[] = ["baseUrl", "control"];

/** Whether neither options nor variables name a target, and there is no config file that could. */
export function namesNoTarget(
  flags: Flags,
  config: string | undefined,
  { environment, workingDirectory }: Io,
): boolean {
  if (config !== undefined || environment[configVariable] !== undefined) return false;
  if (existsSync(resolve(workingDirectory, configFileName))) return false;
  return namingTarget.every(
    (name) =>
      flags[name] === undefined &&
      environmentNames(name).every((variable) => environment[variable] === undefined),
  );
}

/** A config file as it was read. */
export interface ConfigFile {
  readonly path: string;
  readonly contents: string;
  /** Whether nobody named it: it was found in the working directory. */
  readonly isFound: boolean;
}

interface FileLayer extends Layer {
  /** Absent where there is no config file. */
  readonly file?: ConfigFile;
}

/**
 * Reads the config file. One that `--config` or QUEUEPROOF_CONFIG names must exist; `queueproof.config.json` in the
 * working directory may be missing.
 * @throws CommandError WRONG_USAGE when it cannot be read or is not JSON.
 */
export function fileLayer(named: string | undefined, io: Io): FileLayer {
  const asked = named ?? io.environment[configVariable];
  const isFound = asked === undefined;
  const path = resolve(io.workingDirectory, asked ?? configFileName);
  const hint = "Give --config the path of a readable JSON file.";
  const isThere = !isFound || existsSync(path);
  const contents = isThere ? readTextFile(path, "the config file", hint) : "{}";
  return {
    ...(isThere && { file: { path, contents, isFound } }),
    candidate: withLists(parseConfig(contents, path)),
    nameOf: (pointer) => `${path} ${pointer || "/"}`,
  };
}

/** Allows a single text in place of a list: it becomes a list of one item. */
function withLists(config: unknown): unknown {
  if (typeof config !== "object" || config === null || Array.isArray(config)) return config;
  const entries = Object.entries(config).map(([name, value]: [string, unknown]) =>
    isSettingName(name) && optionRows[name].kind === "list" && typeof value === "string"
      ? [name, [value]]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

/** Parses JSON that may have comments and trailing commas, as `queueproof init` writes it. */
function parseConfig(text: string, path: string): unknown {
  // Comments are replaced by spaces, so that positions stay right.
  const bare = stripJsonComments(text, { trailingCommas: true });
  try {
    return parseFile(bare);
  } catch (cause) {
    const message = messageOf(cause);
    throw new CommandError("WRONG_USAGE", `the config file ${path} is not JSON`, {
      problems: [`${path}:${placeIn(bare, message)}: ${message}`],
      hint: "Correct it at the place named above; comments and trailing commas are fine.",
      cause,
    });
  }
}

/** Returns line and column, as editors count them, of the position in a message of JSON.parse. */
function placeIn(text: string, message: string): string {
  const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  const lines = text.slice(0, offset).split("\n");
  return `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
}

/** Converts a text for the schema; a text that cannot be converted stays, and the schema refuses it. */
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
