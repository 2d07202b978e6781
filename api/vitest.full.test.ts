import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";
import { root } from "../test/project.ts";

test("a suite in which every check is skipped fails, and says that nothing was decided", async () => {
  // Without the capability handler, no check of SUBM-04 is tried.
  const { exitCode, output } = await runSuite({ QUEUEPROOF_ONLY: "SUBM-04" });

  expect(output).toContain("the target does not offer handler");
  expect(output).toContain("Nothing was decided about the target");
  expect(output).toMatch(/^0 passed, 1 failed$/m);
  expect(exitCode).toBe(1);
});

test("a profile that is asked for and not decided fails the suite, and says what it lacks", async () => {
  // Without jobs, one of the two requirements of the profile's base is not tried.
  const { exitCode, output } = await runSuite({ QUEUEPROOF_PROFILE: "storage" });

  expect(output).toContain("the profile storage is not decided without S3CF-02.");
  expect(exitCode).toBe(1);
});

test("a suite whose checks have all ended was not stopped before its end", async () => {
  const { exitCode, report } = await runSuite({ QUEUEPROOF_ONLY: "AUTH-01" });

  expect(exitCode).toBe(0);
  expect(report).toMatchObject({ summary: { requirements: { pass: 1 } } });
  expect(report).not.toHaveProperty("interrupted");
});

/** Runs the suite of this repository against a fresh reference that does not offer the capability handler. */
async function runSuite(
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly exitCode: number; readonly output: string; readonly report: unknown }> {
  const reference = await startReference();
  onTestFinished(() => reference.stop());
  const target = {
    QUEUEPROOF_BASE_URL: reference.baseUrl,
    QUEUEPROOF_ENDPOINT: reference.endpointId,
    QUEUEPROOF_API_KEY: reference.apiKey,
  };
  const words = ["node_modules/vitest/vitest.mjs", "run", "--project", "contract"];
  const directory = temporaryDirectory();
  const env = { ...process.env, ...target, ...settings, QUEUEPROOF_REPORT: directory };
  return new Promise((done) => {
    const child = execFile(process.execPath, words, { cwd: root, env }, (_, stdout, stderr) => {
      const output = stripVTControlCharacters(stdout + stderr);
      const report: unknown = JSON.parse(readFileSync(join(directory, "report.json"), "utf8"));
      done({ exitCode: child.exitCode ?? -1, output, report });
    });
  });
}
