import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { actionInputs } from "./inputs.ts";

/** What content looks like, and no path does: JSON, PEM, or more than one line. */
const isContent = (value: string): boolean => /^\s*[{[]|-----BEGIN |\n./.test(value);

export interface FileInputs {
  /** The variables of the command line, with a file in place of each content. */
  readonly environment: NodeJS.ProcessEnv;
  /** What was taken for what: a line for each input of a file that was given. */
  readonly lines: readonly string[];
  /** Removes the files. */
  readonly remove: () => void;
}

/** Puts each content that was given as an input into a file that only its owner can read. */
export function withFileInputs(environment: NodeJS.ProcessEnv): FileInputs {
  const given = actionInputs.flatMap(({ name, variable, isFile }) => {
    const value = environment[variable];
    return isFile && value !== undefined ? [{ name, variable, value }] : [];
  });
  const contents = given.filter(({ value }) => isContent(value));
  const lines = given.map(({ name, value }) =>
    isContent(value) ? `Input ${name}: taken as content.` : `Input ${name}: taken as ${value}.`,
  );
  if (contents.length === 0) return { environment, lines, remove: () => {} };
  const directory = mkdtempSync(join(tmpdir(), "queueproof-inputs-"));
  const paths = contents.map(({ name, variable, value }) => {
    const path = join(directory, name);
    writeFileSync(path, value.endsWith("\n") ? value : `${value}\n`, { mode: 0o600 });
    return [variable, path] as const;
  });
  return {
    environment: { ...environment, ...Object.fromEntries(paths) },
    lines,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
