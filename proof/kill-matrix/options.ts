import { Command, Option } from "commander";
import type { Aim } from "./suite-job.ts";

/** What `npm run faults` runs, and what becomes of its page. */
export interface ProofOptions {
  /**
   * What is run: every fault, every permitted variation, the clean reference again and again, or what
   * concerns limits and caps on a real clock.
   */
  readonly mode: "faults" | "variations" | "clean-runs" | "real-clock";
  readonly aim: Aim;
  /** Globs of names, or of requirement ids that a fault breaks; empty for all. */
  readonly names: readonly string[];
  /** Where the page goes; absent: where the committed one stands, unless only some are run. */
  readonly out: string | undefined;
  /** Whether the page is compared instead of written. */
  readonly check: boolean;
}

interface Values {
  readonly whole?: true;
  readonly variations?: true;
  readonly cleanRuns?: true;
  readonly realClock?: true;
  readonly out?: string;
  readonly check?: true;
}

/** Writes what commander prints: help, and what is wrong with a command line. */
export interface Printer {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

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
  return {
    mode: modeOf(values),
    aim: values.whole === true ? "whole" : "named",
    names: command.args,
    out: values.out,
    check: values.check ?? false,
  };
}

/** What else would say what is run, or speak of a page, of which clean runs write none. */
const clashesWithCleanRuns = ["whole", "variations", "realClock", "out", "check"];

function createCommand({ write, writeError }: Printer): Command {
  return new Command("npm run faults --")
    .description("Runs the suite against every fault of the reference and writes what caught each.")
    .argument(
      "[names...]",
      "names of faults or variations, or requirement ids, in which * may stand",
    )
    .addOption(
      new Option("--whole", "run all checks against each fault, not only those of what it breaks"),
    )
    .addOption(
      new Option(
        "--variations",
        "run the permitted variations, on which nothing may fail",
      ).conflicts(["whole"]),
    )
    .addOption(
      new Option("--clean-runs", "run the suite 50 times against the reference itself").conflicts(
        clashesWithCleanRuns,
      ),
    )
    .addOption(
      new Option(
        "--real-clock",
        "run faults of rates and caps, and permitted limiters, on a real clock (some 15 minutes)",
      ).conflicts(["whole", "variations"]),
    )
    .option("--out <file>", "where the page goes (default: docs/)")
    .option("--check", "compare with the page on disk instead of writing it")
    .configureOutput({ writeOut: write, writeErr: writeError })
    .exitOverride();
}

function modeOf({ cleanRuns, realClock, variations }: Values): ProofOptions["mode"] {
  if (cleanRuns === true) return "clean-runs";
  if (realClock === true) return "real-clock";
  return variations === true ? "variations" : "faults";
}
