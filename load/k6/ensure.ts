import { findK6 } from "./find.ts";
import type { K6, K6Search, MissingK6 } from "./find.ts";
import { installK6 } from "./install.ts";

export interface K6Wanted extends K6Search {
  /** Called where it is built, and with what Go says of it. */
  readonly onBuilding?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Finds k6, or builds it into the project's cache where Go is: once, and it says so. A K6_PATH that
 * cannot be used is somebody's mistake, and no reason to build another one.
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
      ...(onBuilding === undefined ? {} : { onOutput: onBuilding }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { missing: `${found.missing}; ${why}` };
  }
  return findK6(wanted);
}
