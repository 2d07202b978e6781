import { Command, InvalidArgumentError, Option } from "commander";
import type { Io } from "../../cli/io.ts";
import type { SuiteScope } from "./suite-job.ts";

/** The option of each mode, and the mode. */
const modes = [
  ["jobs", "jobs"],
  ["cleanRuns", "clean-runs"],
  ["realClock", "real-clock"],
  ["contractOnRealClock", "contract-on-real-clock"],
  ["variations", "variations"],
] as const;

/** What `npm run faults` runs, and what becomes of its evidence. */
export interface ProofOptions {
  /**
   * What is run: every fault, every permitted variation, many runs of the clean reference, limits and caps on a real
   * clock, the contract on a real clock, or what an owner's jobs still show.
   */
  readonly mode: "faults" | (typeof modes)[number][1];
  readonly aim: SuiteScope;
  /** Globs of names, or of requirement ids that a fault breaks; empty for all. */
  readonly names: readonly string[];
  /** How many clean runs there are, or how often each variation is run; absent: 50, and once. */
  readonly runs: number | undefined;
  /** How many variations one server has at most; absent: single ones, and combinations of two and three. */
  readonly together: number | undefined;
  /** Where the evidence goes; absent: to the committed one, in which the rows of what was run are written anew. */
  readonly out: string | undefined;
  /** Whether the evidence is compared instead of written. */
  readonly check: boolean;
}

type Flags = Partial<Record<(typeof modes)[number][0] | "whole" | "untilCaught" | "check", true>>;

interface Values extends Readonly<Flags> {
  readonly runs?: number;
  readonly together?: number;
  readonly out?: string;
}

/** Writes what commander prints: help, and what is wrong with a command line. */
type Printer = Pick<Io, "write" | "writeError">;

/**
 * Reads the words after `npm run faults --`.
 * @throws CommanderError after help was printed (`exitCode` 0), and where the words are wrong (1)
 */
export function readOptions(words: readonly string[], printer: Printer): ProofOptions {
  const command = createCommand(printer).parse([...words], { from: "user" });
  const values = command.opts<Values>();
  if (values.cleanRuns === true && command.args.length > 0) {
    command.error("error: --clean-runs runs the reference without a fault, so it takes no names");
  }
  const mode = modes.find(([option]) => values[option] === true)?.[1] ?? "faults";
  if (values.runs !== undefined && mode !== "clean-runs" && mode !== "variations") {
    command.error("error: --runs belongs to --clean-runs or --variations");
  }
  if (values.together !== undefined && mode !== "variations") {
    command.error("error: --together belongs to --variations");
  }
  return {
    mode,
    aim: aimOf(values),
    names: command.args,
    runs: values.runs,
    together: values.together,
    out: values.out,
    check: values.check ?? false,
  };
}

function aimOf({ whole, untilCaught }: Values): SuiteScope {
  if (untilCaught === true) return "whole-until-caught";
  return whole === true ? "whole" : "named";
}

/** Options that clash with --clean-runs: those that choose what is run, and those of evidence, which it never writes. */
const clashesWithCleanRuns = [
  "whole",
  "untilCaught",
  "variations",
  "realClock",
  "contractOnRealClock",
  "jobs",
  "out",
  "check",
];

const otherProofs = ["whole", "variations", "realClock", "contractOnRealClock"];

/** An option, with the options that exclude it. */
function choice(flags: string, description: string, excludedBy: readonly string[]): Option {
  return new Option(flags, description).conflicts([...excludedBy]);
}

function createCommand({ write, writeError }: Printer): Command {
  return new Command("npm run faults --")
    .description("Runs the suite against every fault of the reference and writes what caught each.")
    .argument(
      "[names...]",
      "names of faults or variations, or requirement ids, in which * may stand",
    )
    .option("--whole", "run all checks against each fault, not only those of what it breaks")
    .addOption(
      choice("--until-caught", "like --whole, but end the run against a fault once it is caught", [
        "whole",
        "variations",
      ]),
    )
    .addOption(
      choice("--variations", "run the permitted variations, on which nothing may fail", ["whole"]),
    )
    .addOption(
      choice("--clean-runs", "run the suite against the reference itself", clashesWithCleanRuns),
    )
    .addOption(
      choice(
        "--real-clock",
        "run every fault that a real clock can show, and permitted limiters, on one (some 40 minutes)",
        ["whole", "variations"],
      ),
    )
    .addOption(
      choice(
        "--contract-on-real-clock",
        "run the contract ten times on a real clock, and some 130 of its faults (some 20 minutes)",
        ["whole", "variations", "realClock"],
      ),
    )
    .addOption(
      choice("--jobs", "run what a jobs file can show under an owner's handler", otherProofs),
    )
    .option(
      "--runs <n>",
      "how many clean runs there are (default: 50), or how often each variation is run (default: 1)",
      wholeNumber,
    )
    .addOption(
      choice(
        "--together <n>",
        "up to so many variations on one server, which is asked for the lowest limits alone; one that raises an alarm is run by itself as well",
        ["out", "check"],
      ).argParser(wholeNumber),
    )
    .option("--out <file>", "where the evidence goes (default: docs/evidence/)")
    .option("--check", "compare with what is kept instead of writing it")
    .configureOutput({ writeOut: write, writeErr: writeError })
    .exitOverride();
}

/** @throws InvalidArgumentError */
function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError("It has to be a whole number, 1 or more.");
}
