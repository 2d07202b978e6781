import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory that is removed with its content when the test is over. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "queueproof-cli-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
