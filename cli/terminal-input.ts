import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import { CommandError } from "./errors.ts";

/** Input from a person at the terminal. */
export interface TerminalInput {
  /** Asks a question; returns the answer without white space around it. */
  readonly ask: (question: string) => Promise<string>;
  /** Reads the next key press, as the terminal sends it. */
  readonly readKey: () => Promise<string>;
}

/** Returns the input of this process's terminal; undefined where its input or output is no terminal. */
export function terminalInput(): TerminalInput | undefined {
  const { stdin, stdout } = process;
  return isatty(stdin.fd) && isatty(stdout.fd) ? { ask, readKey } : undefined;
}

/** Asks a yes-or-no question; any answer but y or yes means no. */
export async function askYesOrNo(input: TerminalInput, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await input.ask(`${question} [y/N] `)).trim());
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new Promise<never>((_, reject) => {
    // Ctrl-C and Ctrl-D close the input without an answer.
    lines.once("close", () =>
      reject(new CommandError("WRONG_USAGE", "stopped before every question was answered")),
    );
  });
  try {
    return (await Promise.race([lines.question(question), gone])).trim();
  } finally {
    gone.catch(() => undefined);
    lines.close();
  }
}

async function readKey(): Promise<string> {
  const { stdin } = process;
  stdin.setRawMode(true);
  stdin.setEncoding("utf8").resume();
  try {
    return await new Promise<string>((resolve) => {
      stdin.once("data", (keys) => resolve(String(keys)));
      stdin.once("end", () => resolve(endOfInput));
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

/** Ctrl-D ends the input: no more keys will come. */
const endOfInput = "\u0004";
