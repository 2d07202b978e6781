import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { exitCodeOfError } from "./errors.ts";
import { withoutRunnerCommands } from "./runner-commands.ts";
import { terminalInput } from "./terminal-input.ts";
import type { TerminalInput } from "./terminal-input.ts";

/** The parts of the process that a command may use; tests give their own. */
export interface Io {
  /** Writes to standard output and adds no line end. */
  readonly write: (text: string) => void;
  /** Writes to standard error and adds no line end. */
  readonly writeError: (text: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
  /** Current width of the terminal in characters. */
  readonly columns: number;
  /** Current height of the terminal in lines. */
  readonly rows: number;
  /** Reads from the person at the terminal; absent where input or output is no terminal. */
  readonly input?: TerminalInput | undefined;
}

/**
 * Makes the Io of this process. What is printed holds no command for a runner of pipelines. When a reader goes away (`| head`), output to it stops, but the command goes on: it
 * still writes its report and returns its true exit code.
 */
export function processIo(): Io {
  return {
    write: writerTo(process.stdout),
    writeError: writerTo(process.stderr),
    environment: process.env,
    workingDirectory: process.cwd(),
    // Not `process.stdout.isTTY`: without a terminal it is undefined, although its type says boolean.
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

function writerTo(stream: NodeJS.WriteStream): (text: string) => void {
  let isRead = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (isRead && error.code !== "EPIPE") tellOfLostOutput(error);
    isRead = false;
  });
  return (text) => {
    if (isRead) stream.write(withoutRunnerCommands(text));
  };
}

/** Reports lost output, for example on a full disk. The command goes on, as its report may lie elsewhere, but fails. */
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
    // Standard error is lost, too, so only the exit code can tell.
  }
}
