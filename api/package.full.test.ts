import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { list, extract } from "tar";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { checkSummaries } from "../contracts/run-contract.ts";
import manifest from "../package.json" with { type: "json" };
import { waitLimits } from "../test/wait-limits.ts";
import { root } from "../test/project.ts";

/** Tests the package that `npm pack` makes of the build, installed in a project that depends on it. */

const run = promisify(execFile);
const modules = join(root, "node_modules");
let project = "";
let tarball = "";

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "queueproof-package-"));
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", project], { cwd: root });
  tarball = join(project, `queueproof-${manifest.version}.tgz`);
  const home = join(project, "node_modules", "queueproof");
  await mkdir(home, { recursive: true });
  await extract({ file: tarball, cwd: home, strip: 1 });
  await linkDependencies();
});

afterAll(async () => rm(project, { recursive: true, force: true }));

/** Links what npm would install beside the package: its dependencies, but not what only its own tests need. */
async function linkDependencies(): Promise<void> {
  // The last four are the test runners and the compiler of the project itself.
  const names = [
    ...Object.keys(manifest.dependencies),
    "vitest",
    "jest",
    "typescript",
    "@types/node",
  ];
  for (const name of new Set(names)) {
    const link = join(project, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(modules, name), link);
  }
}

describe("the package", () => {
  test("holds what is needed and nothing else", async () => {
    const paths: string[] = [];
    await list({ file: tarball, onReadEntry: ({ path }) => paths.push(path) });
    const needed = [
      "dist/api/index.js",
      "dist/api/index.d.ts",
      "dist/cli/main.js",
      "docs/specification.md",
      "docs/first-run.md",
      "docs/options.md",
      "README.md",
    ];
    expect(paths).toEqual(expect.arrayContaining(needed.map((path) => `package/${path}`)));
    const needless = /\.test\.|tsbuildinfo|\/testing\/|\/proof\/|tsconfig|^package\/docs\/.*\//;
    expect(paths.filter((path) => needless.test(path))).toEqual([]);
  });

  test("runs nothing when it is installed", () => {
    const atInstallation = /^(?:pre|post)?(?:install|prepare)$/;
    expect(Object.keys(manifest.scripts).filter((name) => atInstallation.test(name))).toEqual([]);
  });

  test("passes publint", async () => {
    const { buffer } = new Uint8Array(await readFile(tarball));
    const { messages, pkg } = await publint({ strict: true, pack: { tarball: buffer } });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("has types that resolve wherever an ES module can be imported", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(await readFile(tarball)));
    // The package is an ES module for Node 20 and later, so resolution modes that cannot import one do not count.
    const notMeant = new Set(["node10", "node16-cjs"]);
    expect(analysis.types).not.toBe(false);
    const problems = "problems" in analysis ? analysis.problems : [];
    const meant = problems.filter(
      (problem) => !("resolutionKind" in problem) || !notMeant.has(problem.resolutionKind),
    );
    expect(meant).toEqual([]);
  });

  test("starts as a command", async () => {
    const main = join(project, "node_modules", "queueproof", "dist", "cli", "main.js");
    const { stdout } = await run(process.execPath, [main, "--version"], { cwd: project });
    expect(stdout.trim()).toBe(manifest.version);
  });
});

const isOfCancel = (id: string): boolean => id.startsWith("CANC-");

describe("the examples of docs, in a project that depends on the package", () => {
  const node = process.execPath;

  beforeAll(async () => {
    await cp(join(root, "examples", "test-double"), project, { recursive: true });
    await writeFile(join(project, "package.json"), '{"type": "module"}\n');
  });

  test("run in vitest", async () => {
    const limits = ["test", "hook"].map((what) => `--${what}Timeout=${waitLimits.timeout}`);
    const vitest = join(modules, "vitest", "vitest.mjs");
    const { stdout } = await run(
      node,
      [vitest, "run", "--root", project, "--reporter=json", ...limits],
      {
        cwd: project,
      },
    );
    // The project has four tests of its own, and one for each check of cancel.
    const wanted = 4 + checkSummaries.filter(({ covers }) => covers.some(isOfCancel)).length;
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: wanted, numFailedTests: 0 });
  });

  test("run in jest", async () => {
    const jest = join(modules, "jest", "bin", "jest.js");
    const words = ["--experimental-vm-modules", jest, "--rootDir", project, "--json"];
    const pattern = [
      "--testMatch",
      "**/*.jest.js",
      "--config",
      "{}",
      `--testTimeout=${waitLimits.timeout}`,
    ];
    const { stdout } = await run(node, [...words, ...pattern], { cwd: project });
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
  });

  test("are typed", async () => {
    const compiler = join(modules, "typescript-7", "bin", "tsc");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023"];
    const files = ["client.test.ts", "clock.test.ts", "conformance.test.ts", "suite.test.ts"];
    const { stdout } = await run(node, [compiler, ...options, "--types", "node", ...files], {
      cwd: project,
    });
    expect(stdout).toBe("");
  });
});
