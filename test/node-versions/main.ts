import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../project.ts";
import { versionChecks } from "./checks.ts";
import { installPackage, nodeBinary } from "./install.ts";
import type { InstalledPackage } from "./install.ts";

// Installs the package as its users do and runs it on each version of Node that it is meant for: the lowest that
// package.json names, and a late one of every later line. The last line is `N passed, N failed`.

const nodeVersions = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];

const cache = join(root, ".cache", "queueproof", "node");
const counts = { passed: 0, failed: 0 };

if (process.platform !== "linux" || process.arch !== "x64") {
  process.stdout.write("The Node binaries are those of linux-x64: nothing is run here.\n");
} else {
  const folder = await mkdtemp(join(tmpdir(), "queueproof-node-versions-"));
  try {
    await testVersions(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function testVersions(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const installed = await installPackage(root, folder);
  tell(`npm install: ${installed.packages} packages`, installed.problems);
  for (const version of nodeVersions) await testVersion(version, installed, folder);
}

async function testVersion(
  version: string,
  { main }: InstalledPackage,
  folder: string,
): Promise<void> {
  const node = await nodeBinary(version, cache);
  const own = await mkdtemp(join(folder, "run-"));
  const problems: string[] = [];
  const told: string[] = [];
  for (const { name, run } of versionChecks) {
    const startedAtMs = performance.now();
    const found = await run({ node, main, folder: own });
    told.push(`${name} ${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s`);
    problems.push(...found.map((problem) => `${name}: ${problem}`));
  }
  tell(`Node ${version}: ${told.join(", ")}`, problems);
}

/** Prints one line for what was tested, and one for each problem. */
function tell(what: string, problems: readonly string[]): void {
  counts[problems.length === 0 ? "passed" : "failed"] += 1;
  const verdict = problems.length === 0 ? "passed" : "failed";
  process.stdout.write([`${what}: ${verdict}`, ...problems].join("\n  ").concat("\n"));
}
