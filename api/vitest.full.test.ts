import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/index.ts";
import { temporaryDirectory } from "../cli/testing/temporary-directory.ts";

test("a suite in which every check is skipped fails, and says that nothing was decided", async () => {
  const reference = await startReference();
  onTestFinished(() => reference.stop());
  const { baseUrl, endpointId, apiKey } = reference;

  // Without the capability handler no check of SUBM-04 is tried.
  const { exitCode, output } = await runSuite({
    QUEUEPROOF_BASE_URL: baseUrl,
    QUEUEPROOF_ENDPOINT: endpointId,
    QUEUEPROOF_API_KEY: apiKey,
    QUEUEPROOF_ONLY: "SUBM-04",
  });

  expect(output).toContain("the target does not offer handler");
  expect(output).toContain("Nothing was decided about the target");
  expect(output).toMatch(/^0 passed, 1 failed$/m);
  expect(exitCode).toBe(1);
});

async function runSuite(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const words = ["node_modules/vitest/vitest.mjs", "run", "--project", "contract"];
  const env = { ...process.env, ...environment, QUEUEPROOF_REPORT: temporaryDirectory() };
  return new Promise((done) => {
    const child = execFile(process.execPath, words, { cwd: root, env }, (_, stdout, stderr) => {
      const output = stripVTControlCharacters(stdout + stderr);
      done({ exitCode: child.exitCode ?? -1, output });
    });
  });
}
