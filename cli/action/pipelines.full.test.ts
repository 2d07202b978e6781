import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { parse } from "yaml";

import { loadOptions } from "../settings/command-options.ts";
import { environmentNames } from "../settings/options.ts";
import { startReference } from "../../reference/start-reference.ts";
import { toolNamed } from "../../test/tools.ts";

/** Runs the example pipelines as far as that is possible without the servers that they are for. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const text = async (name: string): Promise<string> =>
  readFile(join(root, "examples", "pipelines", name), "utf8");
const variables = new Set(loadOptions.flatMap((setting) => environmentNames(setting)));

const actionlint = toolNamed(
  "actionlint",
  "`go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12` builds it.",
);

describe("the workflow for GitHub", () => {
  test.skipIf(actionlint.missing !== "")(`passes actionlint ${actionlint.missing}`, async () => {
    const file = join(root, "examples", "pipelines", "github.yml");
    await expect(run(actionlint.path, [file])).resolves.toMatchObject({ stdout: "" });
  });
});

describe("the pipeline for GitLab", () => {
  const pipeline = Type.Object({
    contract: Type.Object({
      script: Type.Array(Type.String()),
      variables: Type.Record(Type.String(), Type.String()),
      artifacts: Type.Object({
        paths: Type.Array(Type.String()),
        reports: Type.Object({ junit: Type.String() }),
      }),
    }),
  });

  test("checks the server its variables name, and keeps the report", async () => {
    const {
      script,
      variables: settings,
      artifacts,
    } = Value.Parse(pipeline, parse(await text("gitlab.yml"))).contract;
    expect(Object.keys(settings).filter((name) => !variables.has(name))).toEqual([]);
    const project = await projectWithPackage();
    await writeFile(join(project, "jobs.json"), await text("jobs.json"));
    const server = await startReference({ endpointId: "my-endpoint", control: false });
    onTestFinished(async () => server.stop());
    const ofProject: Record<string, string> = {
      SERVER_URL: server.baseUrl,
      SERVER_KEY: server.apiKey,
    };
    const filledIn: [string, string][] = Object.entries(settings).map(([name, value]) => [
      name,
      value.replaceAll(/\$(\w+)/g, (_, variable: string) => ofProject[variable] ?? ""),
    ]);
    // The environment of a pipeline, with the fewest checks that show that it runs.
    const env = {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      CI: "true",
      ...Object.fromEntries(filledIn),
      QUEUEPROOF_ONLY: "HLTH-01",
    };
    await run("bash", ["-e", "-c", script.join("\n")], { cwd: project, env });
    for (const path of [...artifacts.paths, artifacts.reports.junit]) {
      await expect(stat(join(project, path))).resolves.toBeDefined();
    }
  });
});

/** A project in which `npx queueproof` runs the build of this project. */
async function projectWithPackage(): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), "queueproof-pipeline-"));
  onTestFinished(async () => rm(project, { recursive: true, force: true }));
  const binaries = join(project, "node_modules", ".bin");
  await mkdir(binaries, { recursive: true });
  const main = join(root, "dist", "cli", "main.js");
  const command = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`;
  await writeFile(join(binaries, "queueproof"), command, { mode: 0o755 });
  return project;
}
