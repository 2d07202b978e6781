import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  contractCounts,
  targetIsNamed,
  unitCounts,
  worst,
  withoutSettings,
} from "./test-counts.ts";
import type { Counts } from "./test-counts.ts";

// What `npm test` runs. Without a target in the environment: the project's own tests, then the
// contract suite against the embedded reference. With one: the suite against that target alone.
// With words, as in `npm test -- contracts`: the tests alone of these folders, or whose paths hold one of them.

const words = process.argv.slice(2);
const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = await mkdtemp(join(tmpdir(), "queueproof-test-"));
try {
  const ends: StageEnd[] = [];
  for (const stage of stagesOf(words)) ends.push(await stage());
  process.exitCode = worst(ends.map(({ exitCode }) => exitCode));
  const passed = ends.reduce((sum, { counts }) => sum + counts.passed, 0);
  const failed = ends.reduce((sum, { counts }) => sum + counts.failed, 0);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

interface StageEnd {
  readonly exitCode: number;
  readonly counts: Counts;
}

function stagesOf({ length }: readonly string[]): readonly (() => Promise<StageEnd>)[] {
  if (length > 0) return [runUnitTests];
  return targetIsNamed(process.env) ? [runSuite] : [runUnitTests, runSuite];
}

async function runUnitTests(): Promise<StageEnd> {
  const resultFile = join(scratch, "unit.json");
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultFile}`];
  // Settings meant for the suite below must not reach the tests of the settings.
  const unit = [vitest, "run", "--project=unit", ...reporters, ...words.map(pathsOf)];
  const exitCode = await run(unit, withoutSettings(process.env));
  return { exitCode, counts: unitCounts(await readJson(resultFile), exitCode) };
}

/** A folder of the project, or part of a path. */
function pathsOf(word: string): string {
  const path = join(root, word);
  return existsSync(path) ? path : word;
}

async function runSuite(): Promise<StageEnd> {
  const reportDirectory = process.env["QUEUEPROOF_REPORT"] ?? "reports/latest";
  const main = join(root, "dist", "cli", "main.js");
  const exitCode = await run([main, "contract"], process.env);
  return {
    exitCode,
    counts: contractCounts(await readJson(join(root, reportDirectory, "report.json")), exitCode),
  };
}

/** Runs one Node script in the foreground and answers its exit code. */
function run(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, words, { cwd: root, env: environment, stdio: "inherit" });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  // Ctrl-C reaches the script by itself, as one of the terminal's group; SIGTERM reaches this alone.
  process.on("SIGINT", waitForScript).on("SIGTERM", forward);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("SIGINT", waitForScript).off("SIGTERM", forward);
      resolve(code ?? 130);
    });
  });
}

/** The script closes what it started and writes its report; this process ends after it. */
function waitForScript(): void {}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
