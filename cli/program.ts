import { Command, CommanderError, Option } from "commander";
import { commandRows } from "./command-rows.ts";
import type { CommandRow } from "./command-rows.ts";
import { CommandError, describeError } from "./errors.ts";
import type { Io } from "./io.ts";
import { listText } from "../reports/words.ts";
import { didYouMean } from "./did-you-mean.ts";
import { environmentNames, isSettingName, optionRows } from "./settings/options.ts";
import type { SettingName } from "./settings/options.ts";
import { unknownVariables } from "./settings/unknown-variables.ts";
import type { FlagValue, Flags } from "./settings/sources.ts";
import { toolVersion } from "../openapi/installation.ts";

/**
 * Runs one command line and returns its exit code. It never throws; errors go to standard error.
 * @param words the arguments after the program's name.
 */
export async function runCommandLine(words: readonly string[], io: Io): Promise<number> {
  // The completion scripts call this at every press of the completion key.
  if (words[0] === "__complete") return complete(words.slice(1), io);
  try {
    for (const warning of unknownVariables(io.environment)) io.writeError(`warning: ${warning}\n`);
    return await parse(words, io);
  } catch (error) {
    const { lines, exitCode } = describeError(error);
    io.writeError(`${lines.join("\n")}\n`);
    return exitCode;
  }
}

async function complete(words: readonly string[], io: Io): Promise<number> {
  const { completions } = await import("./completion/completions.ts");
  for (const word of completions(words, commandRows)) io.write(`${word}\n`);
  return 0;
}

async function parse(words: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = createProgram(io, (code) => (exitCode = code));
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander reports help and version as errors of code 0. Help that nobody asked for is wrong usage.
    if (error.exitCode === 0) return 0;
    if (error.code === "commander.help") return 2;
    throw usageError(error, program);
  }
  return exitCode;
}

function createProgram(io: Io, done: (exitCode: number) => void): Command {
  const program = new Command("queueproof")
    .description("Proves that an implementation of the queue-based job API keeps its contract.")
    .version(toolVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .configureOutput({ writeOut: io.write, writeErr: io.writeError, outputError: () => undefined })
    .configureHelp({ helpWidth: io.terminal ? io.columns : 100 })
    .exitOverride()
    .addHelpText("after", helpEnd);
  for (const row of commandRows) addCommand(program, row, { io, done });
  return program;
}

const helpEnd = `
Every option of a command can also be given as an environment variable, QUEUEPROOF_ and its name in
capitals (QUEUEPROOF_BASE_URL), or in queueproof.config.json (baseUrl), in this order of precedence.

Exit codes: 0 no requirement failed and every check that was tried was decided, 1 one failed, 2 wrong
usage, 3 the target could not be tested, 4 one was tried and not decided (--allow-inconclusive names
those that may be) or --require or --profile asks for one that was not decided, 130 stopped by Ctrl-C
or SIGTERM.`;

interface Wiring {
  readonly io: Io;
  readonly done: (exitCode: number) => void;
}

function addCommand(program: Command, row: CommandRow, { io, done }: Wiring): void {
  const command = program.command(row.usage).description(row.description);
  for (const setting of row.options) command.addOption(optionOf(setting));
  if (row.options.length > 0) {
    command.option("--config <file>", "the config file (default: queueproof.config.json)");
  }
  command.action(async (...given: readonly unknown[]) => {
    const operands = given.flat().filter((value) => typeof value === "string");
    const config: unknown = command.getOptionValue("config");
    done(
      await row.run({
        flags: flagsOf(command),
        config: typeof config === "string" ? config : undefined,
        operands,
        io,
      }),
    );
  });
}

function optionOf(setting: SettingName): Option {
  const { flags, kind, description } = optionRows[setting];
  const option = new Option(flags, `${description} [${environmentNames(setting).at(-1)}]`);
  if (kind !== "list") return option;
  return option.argParser<readonly string[] | undefined>((value, before) => [
    ...(before ?? []),
    value,
  ]);
}

/** The options that were typed, by the setting's name; a `--no-` option has its own name. */
function flagsOf(command: Command): Flags {
  const flags: Partial<Record<SettingName, FlagValue>> = {};
  for (const option of command.options) {
    const attribute = option.attributeName();
    const name = option.negate ? `no${capitalised(attribute)}` : attribute;
    const value: unknown = option.negate ? true : command.getOptionValue(attribute);
    const typed = command.getOptionValueSource(attribute) === "cli";
    if (typed && isSettingName(name) && isFlagValue(value)) flags[name] = value;
  }
  return flags;
}

function isFlagValue(value: unknown): value is FlagValue {
  if (value === true || typeof value === "string") return true;
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function usageError(error: CommanderError, program: Command): CommandError {
  const names = program.commands.map((command) => command.name());
  const word = program.args[0] ?? "";
  const isCommand = names.includes(word);
  return new CommandError(
    "WRONG_USAGE",
    error.code === "commander.unknownCommand"
      ? `unknown command ${JSON.stringify(word)}${didYouMean(word, names)}`
      : rewordCommanderMessage(withoutValue(error.message).replace(/^error: /, ""), word),
    {
      hint: isCommand
        ? `Run \`queueproof ${word} --help\`.`
        : `Run \`queueproof --help\`; the commands are ${listText(names)}.`,
      cause: error,
    },
  );
}

/** Rewords commander's messages in the style of our other messages. */
function rewordCommanderMessage(message: string, command: string): string {
  return message
    .replace(
      /^unknown option '(.*)'\n\(Did you mean (.*)\?\)$/,
      'unknown option $1; did you mean "$2"?',
    )
    .replace(/^unknown option '(.*)'$/, "unknown option $1")
    .replace(/^option '(\S+(?:, \S+)*) (<.*>)' argument missing$/, "$1 needs a value: $1 $2")
    .replace(/^missing required argument '(.*)'$/, `${command} needs <$1>`)
    .replace(/^too many arguments for .*$/, `too many words for ${command}: options begin with --`);
}

/** Removes the value after a misspelt option, since it may be a key. */
function withoutValue(message: string): string {
  return message.replace(/(unknown option '[^'=]*)=.*?'(?=$|\n)/s, "$1'");
}
