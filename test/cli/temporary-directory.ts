import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * Makes an empty directory that is removed with its content when the test ends.
 * @param finished the hook of the test's own context, needed where tests run concurrently.
 */
export function temporaryDirectory(finished: (clean: () => void) => void = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), "queueproof-cli-"));
  finished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
