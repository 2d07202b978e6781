import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { isInCi, type Tool } from "../tools.ts";

const path = fileURLToPath(new URL("../../.cache/python/bin/python", import.meta.url));

/** The conformance handler for real workers. */
export const conformanceScript = fileURLToPath(new URL("../../worker/handler.py", import.meta.url));

/**
 * The Python that `npm run python` makes, with the vendor's package. On a user's machine the tests that
 * need it are skipped with the reason.
 * @throws Error where CI is set and it is missing.
 */
export function pythonWithRunpod(): Tool {
  const missing = reason();
  if (missing === "") return { path, missing };
  if (isInCi()) throw new Error(missing);
  return { path: "", missing };
}

function reason(): string {
  const install = "Run `npm run python`; it needs Python 3.10 or later.";
  if (!existsSync(path)) return `there is no Python in .cache/python. ${install}`;
  const found = spawnSync(path, ["-c", "import importlib.util as u; assert u.find_spec('runpod')"]);
  return found.status === 0 ? "" : `the package runpod is not installed. ${install}`;
}
