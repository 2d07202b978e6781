import { spawn } from "node:child_process";

export interface ProgramOptions {
  readonly folder?: string;
  /** The whole environment of the program; default empty. */
  readonly environment?: NodeJS.ProcessEnv;
  /** After this the program is killed. */
  readonly timeoutMs: number;
  /** Called with all of the standard output so far, whenever there is more; `stop` sends SIGTERM. */
  readonly onOutput?: (output: string, stop: () => void) => void;
}

export interface ProgramEnd {
  /** Null where a signal ended it or it could not be started. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program to its end and returns what it wrote; never rejects. */
export function runProgram(
  program: string,
  words: readonly string[],
  { folder, environment = {}, timeoutMs, onOutput }: ProgramOptions,
): Promise<ProgramEnd> {
  const child = spawn(program, words, {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    onOutput?.(output, () => void child.kill("SIGTERM"));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve({ exitCode: null, output, errors: message }));
    child.on("close", (exitCode) => resolve({ exitCode, output, errors }));
  });
}
