import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { wrongUsageBy } from "./errors.ts";

/** Folders that hold no reports, and much else. */
const passedBy: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/**
 * The files of JSON in a folder and the folders below it.
 * @throws CommandError WRONG_USAGE where the folder cannot be read
 */
export async function* jsonFilesIn(directory: string): AsyncGenerator<string> {
  const found = await readdir(directory, { withFileTypes: true }).catch((cause: unknown) => {
    throw wrongUsageBy(cause, `${directory} cannot be read`, "Give the path of a folder.");
  });
  for (const each of found) {
    const path = join(directory, each.name);
    if (each.isDirectory() && !passedBy.has(each.name)) yield* jsonFilesIn(path);
    else if (each.isFile() && each.name.endsWith(".json")) yield path;
  }
}
