import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The built command line. */
export const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface RunningCommand {
  /** Settles when the process has ended and everything it wrote was read. */
  readonly exit: Promise<CommandEnd>;
  /** The first match in what it has written to standard output, as soon as there is one. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Stops reading its standard output, as `head` does. */
  readonly turnAway: () => void;
}

export interface CommandEnd {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Starts the built command line, in a directory of the test's own; it ends with the test. */
export function startCommand(
  words: readonly string[],
  workingDirectory: string,
  environment: NodeJS.ProcessEnv = {},
): RunningCommand {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [main, ...words], { cwd: workingDirectory, env });
  return watchCommand(child);
}

/** The same where no file can grow larger than so many blocks of 512 bytes. */
export function startCommandWithoutRoom(
  words: readonly string[],
  workingDirectory: string,
  fileBlocksMax: number,
): RunningCommand {
  const line = `ulimit -f ${fileBlocksMax} && exec "$0" "$@"`;
  const program = ["-c", line, process.execPath, main, ...words];
  return watchCommand(spawn("sh", program, { cwd: workingDirectory }));
}

function watchCommand(child: ChildProcessWithoutNullStreams): RunningCommand {
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  let errors = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (const look of watchers) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const exit = new Promise<CommandEnd>((resolve) => {
    child.on("close", (exitCode) => resolve({ exitCode, output, errors }));
  });
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(output);
        if (found !== null) resolve(found);
      };
      watchers.add(look);
      look();
      const missing = `it ended without printing ${String(pattern)}`;
      void exit.then((end) => reject(new Error(`${missing}: ${end.output}${end.errors}`)));
    });
  return {
    exit,
    printed,
    kill: (signal) => void child.kill(signal),
    turnAway: () => void child.stdout.destroy(),
  };
}
