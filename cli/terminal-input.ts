import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import { CommandError } from "./errors.ts";

/** What a person at the terminal can be asked. */
export interface TerminalInput {
  /** The answer to a question, without space around it. */
  readonly ask: (question: string) => Promise<string>;
  /** The next key that is pressed, as the terminal sends it. */
  readonly readKey: () => Promise<string>;
}

/** The person in front of this process; undefined where its input or output is no terminal. */
export function terminalInput(): TerminalInput | undefined {
  const { stdin, stdout } = process;
  return isatty(stdin.fd) && isatty(stdout.fd) ? { ask, readKey } : undefined;
}

/** Asks a question that yes or no answers; anything but yes is no. */
export async function isAgreed(input: TerminalInput, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await input.ask(`${question} [y/N] `)).trim());
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new Promise<never>((_, reject) => {
    // Ctrl-C and Ctrl-D close it without an answer.
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

/** Ctrl-D: nobody will press anything any more. */
const endOfInput = "\u0004";
