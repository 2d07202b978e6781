import { Command, CommanderError, Option } from "commander";
import type { RunCommand } from "./contract-run.ts";
import { CommandError, describeError } from "./errors.ts";
import type { Io } from "./io.ts";
import { didYouMean } from "./nearest.ts";
import { isSettingName } from "./settings/check.ts";
import { contractOptions, loadOptions } from "./settings/contract.ts";
import { faultsOptions, faultsSettings } from "./settings/faults.ts";
import { environmentNames, optionRows } from "./settings/options.ts";
import type { SettingName } from "./settings/schema.ts";
import { reportOptions, reportSettings } from "./settings/report.ts";
import { serveOptions } from "./settings/serve.ts";
import { strangeVariables } from "./settings/sources.ts";
import type { FlagValue, Flags } from "./settings/sources.ts";
import { toolVersion } from "./version.ts";

/** What a command gets: what was typed, and what it may touch. */
interface Call {
  readonly flags: Flags;
  readonly config: string | undefined;
  readonly operands: readonly string[];
  readonly io: Io;
}

interface CommandRow {
  readonly usage: string;
  readonly description: string;
  readonly options: readonly SettingName[];
  /** Loads what the command needs only when it is called: help must not wait for the checks. */
  readonly run: (call: Call) => Promise<number>;
}

const commandRows: readonly CommandRow[] = [
  {
    usage: "contract",
    description: "check a target, or the embedded reference, against every requirement",
    options: contractOptions,
    run: (call) => runChecks("contract", call),
  },
  {
    usage: "load",
    description: "decide the rate limits and the concurrency caps of a target, or the reference",
    options: loadOptions,
    run: (call) => runChecks("load", call),
  },
  {
    usage: "run",
    description: "contract and load together, in one report",
    options: loadOptions,
    run: (call) => runChecks("run", call),
  },
  {
    usage: "serve",
    description: "run the embedded reference as a server, until it is stopped",
    options: serveOptions,
    run: async ({ flags, config, io }) => {
      const { serve } = await import("./commands/serve.ts");
      const { serveSettings } = await import("./settings/serve.ts");
      return serve(serveSettings(flags, config, io), io);
    },
  },
  {
    usage: "report <files...>",
    description: "write report.json files in the other formats; two or more are merged",
    options: reportOptions,
    run: async ({ operands, flags, config, io }) => {
      const { report } = await import("./commands/report.ts");
      return report(reportSettings(operands, { flags, config }, io), io);
    },
  },
  {
    usage: "faults",
    description: "prove the suite: run it against every fault of the embedded reference",
    options: faultsOptions,
    run: async ({ flags, config, io }) => {
      const { faults } = await import("./commands/faults.ts");
      return faults(faultsSettings(flags, config, io), io);
    },
  },
  {
    usage: "list",
    description: "the requirements, with what each needs and the checks that decide it",
    options: ["json"],
    run: async ({ flags, config, io }) => {
      const { list } = await import("./commands/list.ts");
      const { resolveSettings } = await import("./settings/resolve.ts");
      return list(resolveSettings({ settings: ["json"], flags, config }, io), io);
    },
  },
  {
    usage: "explain <id>",
    description: "one requirement: its sentence, its checks, what a failure means",
    options: [],
    run: async ({ operands: [id = ""], io }) => {
      const { explain } = await import("./commands/explain.ts");
      return explain(id, io);
    },
  },
  {
    usage: "k6 <action>",
    description: "`path` prints where k6 is, `install` builds one into the project's cache",
    options: [],
    run: async ({ operands: [action = ""], io }) => {
      const { k6 } = await import("./commands/k6.ts");
      return k6(action, io);
    },
  },
];

async function runChecks(command: RunCommand, { flags, config, io }: Call): Promise<number> {
  const { contractSettings } = await import("./settings/contract.ts");
  const settings = contractSettings(flags, config, io);
  if (settings.dryRun !== undefined) {
    const { dryRun } = await import("./commands/dry-run.ts");
    return dryRun(settings, io, command);
  }
  const { contract } = await import("./commands/contract.ts");
  return contract(settings, io, command);
}

/**
 * Runs one command line and answers its exit code (REPORT.md). It writes what went wrong to standard
 * error and never throws.
 * @param words the arguments after the program's name.
 */
export async function runCommandLine(words: readonly string[], io: Io): Promise<number> {
  try {
    for (const warning of strangeVariables(io.environment)) io.writeError(`warning: ${warning}\n`);
    return await parse(words, io);
  } catch (error) {
    const { lines, exitCode } = describeError(error);
    io.writeError(`${lines.join("\n")}\n`);
    return exitCode;
  }
}

async function parse(words: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = createProgram(io, (code) => (exitCode = code));
  try {
    await program.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end as errors of code 0; help that nobody asked for is wrong usage.
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

Exit codes: 0 no requirement failed, 1 one failed, 2 wrong usage, 3 the target could not be tested,
4 a requirement named by --require was not decided.`;

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

/** What was typed, by the setting's name; a `--no-` option stands under its own name. */
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
  const message =
    error.code === "commander.unknownCommand"
      ? `unknown command ${JSON.stringify(word)}${didYouMean(word, names)}`
      : error.message.replace(/^error: /, "").replaceAll(/\n\((.*)\)$/g, "; $1");
  const command = names.includes(word) ? `${word} ` : "";
  return new CommandError("WRONG_USAGE", message, {
    hint: `Run \`queueproof ${command}--help\`; the commands are ${names.join(", ")}.`,
    cause: error,
  });
}
