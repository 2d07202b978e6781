import { readFileSync } from "node:fs";
import { codeOf, wrongUsageBy } from "./errors.ts";

/**
 * Reads a file of text that settings name: `what` it is, and a `hint` for the error.
 * @param ifMissing what a missing file stands for; absent where the file must be there
 * @throws CommandError WRONG_USAGE where it cannot be read
 */
export function readTextFile(path: string, what: string, hint: string, ifMissing?: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (ifMissing !== undefined && codeOf(cause) === "ENOENT") return ifMissing;
    throw wrongUsageBy(cause, `${what} ${path} cannot be read`, hint);
  }
}
