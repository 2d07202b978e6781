import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

/** An empty folder that is removed with its content when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "queueproof-load-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
