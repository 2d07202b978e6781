import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { toolNamed } from "../tools.ts";

const run = promisify(execFile);

export const tmux = toolNamed("tmux", "Install it with the system's package manager.");

/** A program that runs in a real terminal. */
export interface Terminal {
  /** Presses keys, given by tmux's names for them. */
  readonly press: (...keys: string[]) => Promise<void>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** Returns the text of the screen and of the scrollback above it. */
  readonly screen: () => Promise<string>;
  /** Resolves with the screen when it matches the pattern. */
  readonly shows: (pattern: RegExp) => Promise<string>;
}

export interface TerminalOptions {
  readonly columns: number;
  readonly rows: number;
  readonly workingDirectory: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const lookMs = 50;
const looksMax = 400;

/** Runs a shell command line in its own terminal; both are killed when the test ends. */
export async function openTerminal(
  commandLine: string,
  { columns, rows, workingDirectory, environment = {} }: TerminalOptions,
): Promise<Terminal> {
  const socket = `queueproof-${randomUUID()}`;
  const call = async (...words: readonly string[]): Promise<string> =>
    (await run(tmux.path, ["-L", socket, "-f", "/dev/null", ...words])).stdout;
  const variables = Object.entries({ CI: "", ...environment }).flatMap(([name, value]) => [
    "-e",
    `${name}=${value}`,
  ]);
  const size = ["-x", String(columns), "-y", String(rows)];
  await call("new-session", "-d", ...size, "-c", workingDirectory, ...variables, "sh");
  onTestFinished(async () => void (await call("kill-server").catch(() => undefined)));
  await call("send-keys", "-l", `${commandLine}; echo "ended with $?"`);
  await call("send-keys", "Enter");
  const screen = async (): Promise<string> => call("capture-pane", "-p", "-S", "-", "-E", "-");
  return {
    press: async (...keys) => void (await call("send-keys", ...keys)),
    resize: async (wide, high) =>
      void (await call("resize-window", "-x", String(wide), "-y", String(high))),
    screen,
    shows: async (pattern) => {
      for (let look = 0; look < looksMax; look += 1) {
        const seen = await screen();
        if (pattern.test(seen)) return seen;
        await pause(lookMs);
      }
      throw new Error(`the terminal never showed ${String(pattern)}:\n${await screen()}`);
    },
  };
}
