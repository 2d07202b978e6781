import { runCommandLine } from "../program.ts";
import type { CommandEnd } from "./command.ts";
import { fakeIo } from "./fake-io.ts";

/** Runs a command line in this process, with no variable set; no terminal, and no signal. */
export async function runHere(
  words: readonly string[],
  workingDirectory: string,
): Promise<CommandEnd> {
  const io = fakeIo({ workingDirectory });
  const exitCode = await runCommandLine(words, io);
  return { exitCode, output: io.output(), errors: io.errors() };
}
