import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { onTestFinished } from "vitest";
import { main } from "../project.ts";
import { emptyCache } from "./fake-io.ts";

export interface RunningCommand {
  /** Settles when the process has ended and all its output was read. */
  readonly exit: Promise<CommandEnd>;
  /** Resolves with the first match in standard output. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Stops reading standard output, as `head` does. */
  readonly turnAway: () => void;
}

export interface CommandEnd {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

const outsideCi = {
  ...process.env,
  CI: "",
  XDG_CACHE_HOME: emptyCache,
};

/** Starts the built command line in the test's own directory; it is killed when the test ends. */
export function startCommand(
  words: readonly string[],
  workingDirectory: string,
  environment: NodeJS.ProcessEnv = {},
): RunningCommand {
  const env = { ...outsideCi, ...environment };
  const child = spawn(process.execPath, [main, ...words], { cwd: workingDirectory, env });
  return watchCommand(child);
}

/** Does the same, but no file can grow larger than the given number of 512-byte blocks. */
export function startCommandWithFileSizeLimit(
  words: readonly string[],
  workingDirectory: string,
  fileBlocksMax: number,
): RunningCommand {
  const line = `ulimit -f ${fileBlocksMax} && exec "$0" "$@"`;
  const program = ["-c", line, process.execPath, main, ...words];
  return watchCommand(spawn("sh", program, { cwd: workingDirectory, env: outsideCi }));
}

/** Collects what a process writes; it is killed when the test ends. */
export function watchCommand(child: ChildProcessWithoutNullStreams): RunningCommand {
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
