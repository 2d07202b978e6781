import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { exitCodeOfError } from "./errors.ts";
import { terminalInput } from "./terminal-input.ts";
import type { TerminalInput } from "./terminal-input.ts";

/** What a command may touch of the process it runs in; tests give their own. */
export interface Io {
  /** Writes to standard output as it is, without a line end of its own. */
  readonly write: (text: string) => void;
  /** Writes to standard error as it is. */
  readonly writeError: (text: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
  /** Width of the terminal in characters, as it is now. */
  readonly columns: number;
  /** Its height in lines, as it is now. */
  readonly rows: number;
  /** Who can be asked; absent where input or output is no terminal. */
  readonly input?: TerminalInput | undefined;
}

/**
 * The Io of this process. A reader that goes away (`| head`) is written to no more; the command goes on, so that its
 * report is written and its exit code true.
 */
export function processIo(): Io {
  return {
    write: writerTo(process.stdout),
    writeError: writerTo(process.stderr),
    environment: process.env,
    workingDirectory: process.cwd(),
    // Not `process.stdout.isTTY`: elsewhere than on a terminal that is undefined, whatever its type says.
    terminal: isatty(process.stdout.fd),
    get columns() {
      return process.stdout.columns ?? 80;
    },
    get rows() {
      return process.stdout.rows ?? 24;
    },
    input: terminalInput(),
  };
}

/** Whether output may be coloured: on a terminal, unless NO_COLOR says otherwise (no-color.org). */
export function colourAllowed({ terminal, environment }: Io): boolean {
  const { NO_COLOR: refused = "", TERM: kind } = environment;
  return terminal && refused === "" && kind !== "dumb";
}

function writerTo(stream: NodeJS.WriteStream): (text: string) => void {
  let isRead = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (isRead && error.code !== "EPIPE") tellOfLostOutput(error);
    isRead = false;
  });
  return (text) => {
    if (isRead) stream.write(text);
  };
}

/** A full disk, for instance. The command goes on, for its report may lie elsewhere; it is no success. */
function tellOfLostOutput({ message }: Error): void {
  process.once("exit", (exitCode) => {
    if (exitCode === 0) process.exitCode = exitCodeOfError.HARNESS_BROKE;
  });
  try {
    const hint = "Make room, or send the output elsewhere.";
    writeSync(
      process.stderr.fd,
      `error: what was printed is incomplete: ${message}\nhint:  ${hint}\n`,
    );
  } catch {
    // Standard error is the one that is full: the exit code has to do.
  }
}
