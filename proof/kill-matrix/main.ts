import { CommanderError } from "commander";
import { describeError } from "../../cli/errors.ts";
import { processIo } from "../../cli/io.ts";
import { readOptions } from "./options.ts";

// `npm run faults` and `npm run steady`. Exit codes: 0 the proof is complete, 1 it is not, 2 wrong usage.
const io = processIo();
try {
  const options = readOptions(process.argv.slice(2), io);
  // Loaded only now, so that help and a wrong word need not wait for the checks.
  const { prove } = await import("./prove.ts");
  process.exitCode = await prove(options, io);
} catch (error) {
  process.exitCode = exitCodeOfError(error);
}

/** Says what went wrong, unless commander has said it, and returns the exit code. */
function exitCodeOfError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const { lines, exitCode } = describeError(error);
  io.writeError(`${lines.join("\n")}\n`);
  return exitCode;
}
