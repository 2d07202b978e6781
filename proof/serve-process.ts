import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

import { texts } from "../test/cli/record.ts";
import { main } from "../test/project.ts";

/** A built `serve` in a process of its own. */
export interface ServeProcess {
  readonly child: ChildProcess;
  /** The members of its first line, as texts. */
  readonly told: Readonly<Record<string, string>>;
  /** What it has written to standard error. */
  readonly errors: () => string;
}

/**
 * Starts `serve` with these words and waits until it accepts requests.
 * @throws Error with what it wrote to standard error, where it ends before
 */
export async function startServeProcess(
  words: readonly string[],
  workingDirectory?: string,
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [main, "serve", "--json", ...words], {
    cwd: workingDirectory,
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  let output = "";
  child.stdout.setEncoding("utf8");
  for await (const text of child.stdout) {
    output += String(text);
    if (output.includes("\n")) break;
  }
  if (!output.includes("\n")) throw new Error(`serve did not start: ${errors}`);
  return { child, told: texts(output), errors: () => errors };
}
