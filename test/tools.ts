import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A program that some tests need beyond Node. */
export interface Tool {
  /** The path of the tool; empty where it is missing. */
  readonly path: string;
  /** Why tests that need it are skipped; empty where it is there. */
  readonly missing: string;
}

/** Where `.ci/run` puts what it builds. */
const builtTools = fileURLToPath(new URL("../.cache/queueproof/bin", import.meta.url));

/**
 * Looks for a program on PATH and among what `.ci/run` builds. On a user's machine the tests that need
 * it are skipped with the reason; in CI its absence is a failure.
 * @param install what a person can do to get it, as one imperative sentence.
 * @throws Error where CI is set and the program is missing.
 */
export function toolNamed(name: string, install: string): Tool {
  const directories = [builtTools, ...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  const path = directories.map((directory) => join(directory, name)).find(isExecutable);
  if (path !== undefined) return { path, missing: "" };

  const missing = `${name} is not installed. ${install}`;
  if (isInCi()) throw new Error(missing);
  return { path: "", missing };
}

/** Whether a missing tool is a failure: CI installs what the tests need. */
export function isInCi(): boolean {
  const { CI = "" } = process.env;
  return CI !== "" && CI !== "false";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
