import { runCommandLine } from "../../cli/program.ts";
import type { CommandEnd } from "./command.ts";
import { fakeIo } from "./fake-io.ts";

/** Runs a command line in this process, without variables, terminal or signals. */
export async function runHere(
  words: readonly string[],
  workingDirectory: string,
): Promise<CommandEnd> {
  const io = fakeIo({ workingDirectory });
  const exitCode = await runCommandLine(words, io);
  return { exitCode, output: io.output(), errors: io.errors() };
}
