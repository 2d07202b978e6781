import { findK6 } from "./find.ts";
import type { K6, K6Search, MissingK6 } from "./find.ts";
import { installK6 } from "./install.ts";

export interface K6Wanted extends K6Search {
  /** Called when k6 is built, and with each output of Go. */
  readonly onBuilding?: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds k6, or else builds it once into the project's cache, if Go is there, and says so. A K6_PATH that
 * cannot be used is a mistake of the user, and no reason to build another k6.
 */
export async function ensureK6(wanted: K6Wanted): Promise<K6 | MissingK6> {
  const { environment, cacheDirectory, onBuilding, signal } = wanted;
  const found = await findK6(wanted);
  const isNamed = (environment["K6_PATH"] ?? "") !== "";
  if (!("missing" in found) || isNamed || signal?.aborted === true) return found;
  try {
    await installK6({
      environment,
      cacheDirectory,
      onStart: () => onBuilding?.("Building k6 with Go, once; this takes a minute or two.\n"),
      onOutput: onBuilding,
      signal,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { missing: `${found.missing}; ${why}` };
  }
  return findK6(wanted);
}
