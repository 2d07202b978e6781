import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * An empty directory that is removed with its content when the test is over.
 * @param finished of the test's own context where tests run side by side.
 */
export function temporaryDirectory(finished: (clean: () => void) => void = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), "queueproof-cli-"));
  finished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
