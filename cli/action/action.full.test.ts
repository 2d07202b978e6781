import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { faultNamed } from "../../proof/faults/faults.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { checkoutOf } from "../../test/checkout.ts";
import { actionDocument } from "./manifest.ts";

/** Runs the steps of action.yml as a GitHub runner does: expressions filled in, files for outputs and summary given. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

const { inputs: declared, runs } = actionDocument;
let workspace = "";
beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), "queueproof-action-"));
});
afterAll(async () => rm(workspace, { recursive: true, force: true }));

function filledIn(text: string, inputs: Readonly<Record<string, string>>): string {
  return text
    .replaceAll("${{ github.action_path }}", root)
    .replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputs[name] ?? "");
}

interface Ended {
  readonly exitCode: number;
  readonly printed: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** Runs only the last step, which checks. The step before it, the installation, was done by whoever runs this test. */
async function check(given: Readonly<Record<string, string>>): Promise<Ended> {
  const inputs = { command: declared["command"]?.default ?? "", ...given };
  const step = runs.steps.at(-1);
  const variables = Object.entries(step?.env ?? {}).map(
    ([name, value]) => [name, filledIn(value, inputs)] as const,
  );
  const files = {
    GITHUB_OUTPUT: join(workspace, "output"),
    GITHUB_STEP_SUMMARY: join(workspace, "summary"),
  };
  await Promise.all(Object.values(files).map((file) => writeFile(file, "")));
  const env = {
    PATH: process.env["PATH"],
    GITHUB_ACTIONS: "true",
    ...files,
    ...Object.fromEntries(variables),
  };
  const { code, stdout } = await run("bash", ["-e", "-c", filledIn(step?.run ?? "", inputs)], {
    cwd: workspace,
    env,
  }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: { code: number; stdout: string }) => error,
  );
  return {
    exitCode: code,
    printed: stdout,
    outputs: outputsIn(await readFile(files.GITHUB_OUTPUT, "utf8")),
    summary: await readFile(files.GITHUB_STEP_SUMMARY, "utf8"),
  };
}

/** Reads entries of the form `name<<delimiter`, value, delimiter. */
function outputsIn(text: string): Readonly<Record<string, string>> {
  const entries = text.matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n\2$/gm);
  return Object.fromEntries(Array.from(entries, ([, name = "", , value = ""]) => [name, value]));
}

async function checking(fault: string | undefined): Promise<[Reference, Record<string, string>]> {
  const change = fault === undefined ? {} : faultNamed(fault)?.change(specified);
  const reference = await startReference({ behaviour: changed(specified, change ?? {}) });
  const { baseUrl, controlUrl = "" } = reference;
  const only = "CANC-01,CANC-02";
  return [reference, { command: "contract", "base-url": baseUrl, control: controlUrl, only }];
}

describe("the action", () => {
  test("passes a server that keeps what was asked", async () => {
    const [reference, inputs] = await checking(undefined);
    const { exitCode, outputs, summary, printed } = await check(inputs);
    await reference.stop();
    expect(exitCode).toBe(0);
    expect(outputs).toMatchObject({ verdict: "pass", "exit-code": "0", passed: "2", failed: "0" });
    expect(outputs["profiles"]).toMatch(/^partly: job-control \(2 of \d+\); untested: core, /);
    expect(summary).toContain("CANC");
    expect(printed).not.toContain("::error");
  });

  test("fails one that does not, with an annotation and a summary", async () => {
    const [reference, inputs] = await checking("cancel/answer-tells-the-old-state");
    const { exitCode, outputs, summary, printed } = await check({ ...inputs, report: "out" });
    await reference.stop();
    expect(exitCode).toBe(1);
    expect(outputs).toMatchObject({ verdict: "fail", report: join(workspace, "out") });
    expect(Number(outputs["failed"])).toBeGreaterThan(0);
    expect(printed).toMatch(/^::error title=CANC-01 failed::/m);
    expect(summary).toContain("CANC-01");
  });

  test("takes the content of a file as well as its path", async () => {
    const [reference, inputs] = await checking("cancel/answer-tells-the-old-state");
    const baseline = "CANC-01 the answer is made too early\nCANC-02 as CANC-01\n";
    const { exitCode, printed, outputs } = await check({ ...inputs, baseline });
    await reference.stop();
    expect(printed).toContain("Input baseline: taken as content.");
    expect(printed).toContain("none is broken, 2 known failures");
    expect(printed).not.toContain("::error");
    expect(exitCode).toBe(0);
    expect(outputs).toMatchObject({ verdict: "pass", failed: "2" });
  });

  test("tells nothing of the report of a run before it, where this one wrote none", async () => {
    const [reference, inputs] = await checking("cancel/answer-tells-the-old-state");
    const first = await check({ ...inputs, report: "again" });
    const second = await check({ ...inputs, report: "again", format: "junit" });
    await reference.stop();
    expect(first.outputs).toHaveProperty("failed");
    expect(second.outputs).toEqual({ verdict: "fail", "exit-code": "1" });
    expect(second.printed).not.toContain("::error title=");
    expect(second.printed).toContain("No report.json of this run");
  });

  test("says of a wrong input that it is wrong usage", async () => {
    const { exitCode, outputs } = await check({ "base-url": "ftp://nowhere" });
    expect(exitCode).toBe(2);
    expect(outputs).toEqual({ verdict: "wrong-usage", "exit-code": "2" });
  });

  test("does not say pass where nothing could be tested", async () => {
    const target = { "base-url": "http://127.0.0.1:9", endpoint: "one", "api-key": "key" };
    const { exitCode, outputs } = await check({ command: "contract", ...target });
    expect(exitCode).toBe(3);
    expect(outputs).toMatchObject({ verdict: "not-tested", passed: "0" });
  });
});

describe("its first step", () => {
  test("installs and builds it from its own checkout", async () => {
    const checkout = await checkoutOf(root);
    const env = { ...process.env, npm_config_prefer_offline: "true" };
    await run("bash", ["-e", "-c", runs.steps[0]?.run ?? "false"], { cwd: checkout, env });
    const { stdout: version } = await run("node", ["dist/cli/main.js", "--version"], {
      cwd: checkout,
    });
    await rm(checkout, { recursive: true, force: true });
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
