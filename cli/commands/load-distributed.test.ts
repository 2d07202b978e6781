import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";

import { configMapSchema, testRunSchema } from "../../test/load/testrun-schema.ts";
import { runCommandLine } from "../program.ts";
import { distribute, manifestOf } from "../../test/cli/distribute.ts";
import { memberIn } from "../../test/cli/manifests.ts";

describe("load --distributed k8s", () => {
  test("writes manifests of the operator's shape, and the same ones each time", async () => {
    const [io, again] = [await distribute("--runners", "3"), await distribute("--runners", "3")];
    expect(io.errors()).toBe("");
    expect(io.exitCode).toBe(0);

    for (const [file, schema] of [
      ["testrun.yaml", testRunSchema],
      ["configmap.yaml", configMapSchema],
    ] as const) {
      const manifest = await manifestOf(io, file);
      const validate = new Ajv({ allErrors: true }).compile(schema);
      expect(validate(manifest), JSON.stringify(validate.errors)).toBe(true);
      expect(await manifestOf(again, file)).toEqual(manifest);
    }
    expect(memberIn(await manifestOf(io, "testrun.yaml"), "spec", "parallelism")).toBe(3);
    expect(io.output()).toContain("Nothing was sent");
  });

  test("keeps the key out of everything it writes", async () => {
    const io = await distribute("--api-key", "very-secret");
    const names = await readdir(join(io.workingDirectory, "out"), { recursive: true });
    const files = names.filter((name) => /\.(yaml|json)$/.test(name));
    expect(files).toHaveLength(4);
    for (const file of files) {
      const text = await readFile(join(io.workingDirectory, "out", file), "utf8");
      expect(text).not.toContain("very-secret");
    }
    const [testRun] = [await manifestOf(io, "testrun.yaml")];
    expect(JSON.stringify(memberIn(testRun, "spec", "runner"))).toContain('"secretKeyRef"');
    expect(JSON.stringify(memberIn(testRun, "spec", "initializer"))).not.toContain("secretKeyRef");
  });

  test("leaves a report for each runner that decides nothing yet", async () => {
    const io = await distribute("--only", "RATE-08", "--capability", "requests");
    const reports = [1, 2].map((runner) => `out/queueproof-rate-${runner}/report.json`);
    const words = ["report", ...reports, "--report", "merged", "--format", "md"];
    expect(await runCommandLine(words, io)).toBe(3);
    const text = await readFile(join(io.workingDirectory, "merged", "report.md"), "utf8");
    expect(text).toMatch(
      /RATE-08: the runners' results cannot be put together: the points in .*ENOENT/,
    );
  });

  test.each([
    { words: ["--only", "RATE-08"], error: /no rate is left to run/ },
    { words: ["--segment", "1/2"], error: /exclude each other/ },
    { words: ["--runners", "0"], error: /--runners/ },
  ])("refuses $words", async ({ words, error }) => {
    const io = await distribute(...words);
    expect(io.exitCode).toBe(2);
    expect(io.errors()).toMatch(error);
  });
});
