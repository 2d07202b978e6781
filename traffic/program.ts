import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

import { signalGroup } from "../load/hooks/signal-group.ts";

export interface ProgramStart {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Whether what it prints goes to the terminal at once, and is not kept. */
  readonly isShown?: boolean;
  /** Is given what it prints as it comes, in pieces of any size, where it is not shown. */
  readonly onPrinted?: ((text: string) => void) | undefined;
}

/** How a program ended. */
export interface EndedProgram {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it was still running when its time was over, so that it was stopped. */
  readonly ranOutOfTime: boolean;
  readonly durationMs: number;
  readonly output: ProgramOutput;
}

/** What a program printed on either stream: the beginning and the end of it, where it was much. */
export interface ProgramOutput {
  /** The last line of standard output that is not empty; cut at its front where it is longer than 32 MB. */
  readonly lastLine: string;
  /** Standard output and standard error, each with its middle left out where it is long. */
  readonly text: string;
}

/** A program that was started. It and all that it started are ended by `stop`. */
export interface RunningProgram {
  readonly pid: number;
  /** Settles when it has ended and its process group is gone. */
  readonly ended: Promise<EndedProgram>;
  /** Sends SIGTERM to the group and, to what is left of it, SIGKILL. */
  readonly stop: () => void;
  /** Sends SIGTERM to the program alone, as a container's end does. */
  readonly terminate: () => void;
  /** What it has printed up to now. */
  readonly printed: () => ProgramOutput;
}

/** The program could not be started; the message says why and names it. */
export class ProgramStartError extends Error {
  override readonly name = "ProgramStartError";
}

/** How long a program has between SIGTERM and SIGKILL. */
const stopGraceMs = 2_000;

/**
 * Starts a program of the user's in a process group of its own.
 * @throws ProgramStartError where there is no such program, or it may not be run
 */
export async function startProgram(
  {
    command: [file, ...words],
    environment,
    workingDirectory,
    isShown = false,
    onPrinted,
  }: ProgramStart,
  timeLimitMs = Number.POSITIVE_INFINITY,
): Promise<RunningProgram> {
  const startedMs = performance.now();
  const child = spawn(file, words, {
    env: { ...environment },
    cwd: workingDirectory,
    detached: true,
    stdio: isShown ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
  });
  const pid = await pidOf(child, file);
  const [out, err] = [new PrintedText(), new PrintedText()];
  child.stdout?.on("data", (bytes: Buffer) => out.add(bytes));
  child.stderr?.on("data", (bytes: Buffer) => err.add(bytes));
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder("utf8");
    if (onPrinted !== undefined) {
      stream?.on("data", (bytes: Buffer) => onPrinted(decoder.write(bytes)));
    }
  }
  const printed = (): ProgramOutput => ({
    lastLine: out.lastLine(),
    text: `${out.text()}\n${err.text()}`.trim(),
  });

  let kill: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (kill !== undefined) return;
    signalGroup(pid, "SIGTERM");
    kill = setTimeout(() => signalGroup(pid, "SIGKILL"), stopGraceMs);
  };
  let ranOutOfTime = false;
  const limit = Number.isFinite(timeLimitMs)
    ? setTimeout(() => {
        ranOutOfTime = true;
        stop();
      }, timeLimitMs)
    : undefined;

  const ended = endOf(child, pid).then(({ exitCode, signal }) => {
    clearTimeout(limit);
    clearTimeout(kill);
    const durationMs = performance.now() - startedMs;
    return { exitCode, signal, ranOutOfTime, durationMs, output: printed() };
  });
  const terminate = (): void => void child.kill("SIGTERM");
  return { pid, ended, stop, terminate, printed };
}

function pidOf(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("spawn", () => resolve(child.pid ?? 0));
    child.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? "there is no such program" : error.message;
      reject(new ProgramStartError(`${file} cannot be started: ${why}`, { cause: error }));
    });
  });
}

/** How long output is awaited of a process that has left the group of the program that ended. */
const lastOutputMs = 10_000;

interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Waits for the end of a program and of its output; what it has left behind of its group is ended first. */
function endOf(child: ChildProcess, pid: number): Promise<ChildEnd> {
  return new Promise((resolve) => {
    child.once("exit", (exitCode, signal) => {
      signalGroup(pid, "SIGKILL");
      const late = setTimeout(() => resolve({ exitCode, signal }), lastOutputMs);
      child.once("close", () => {
        clearTimeout(late);
        resolve({ exitCode, signal });
      });
    });
  });
}

const headBytes = 65_536;
const tailBytesMax = 32_000_000;

/** Keeps the beginning and the end of what a stream says, however much it is. */
class PrintedText {
  #head = "";
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #left = 0;

  add(bytes: Buffer): void {
    if (this.#head.length < headBytes) {
      this.#head += bytes.toString("utf8", 0, headBytes - this.#head.length);
    }
    this.#tail.push(bytes);
    this.#tailBytes += bytes.length;
    while (this.#tailBytes > tailBytesMax) {
      const first = this.#tail.shift();
      this.#tailBytes -= first?.length ?? 0;
      this.#left += first?.length ?? 0;
    }
  }

  text(): string {
    const end = this.#end();
    if (this.#left === 0 && end.length <= 2 * headBytes) return end;
    return `${this.#head}\n… (more was printed) …\n${end.slice(-headBytes)}`;
  }

  lastLine(): string {
    const end = this.#end().trimEnd();
    return end.slice(end.lastIndexOf("\n") + 1).trim();
  }

  #end(): string {
    return Buffer.concat(this.#tail).toString("utf8");
  }
}
