import { shells } from "../completion/completions.ts";
import { completionScripts } from "../completion/scripts.ts";
import type { Io } from "../io.ts";
import { unknownName } from "../did-you-mean.ts";

/**
 * Prints the script with which a shell completes the words of this program.
 * @throws CommandError WRONG_USAGE for a shell that is not supported
 */
export async function completion(shell: string, io: Io): Promise<number> {
  const known = shells.find((name) => name === shell);
  if (known === undefined) {
    const hint = "Give one of bash, zsh and fish.";
    throw unknownName("completion for", shell, { known: shells, hint });
  }
  io.write(completionScripts[known]);
  return 0;
}
