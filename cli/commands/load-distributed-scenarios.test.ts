import { join } from "node:path";

import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";

import { configMapSchema, testRunSchema } from "../../test/load/testrun-schema.ts";
import { scenarios } from "../../scenarios/scenarios.ts";
import { distribute, manifestOf } from "../../test/cli/distribute.ts";

const inCluster = scenarios.filter(({ unshared }) => unshared?.k8s === undefined);
const names = inCluster.map(({ name }) => name);
const handler = ["--capability", "handler"];

describe("load --distributed k8s NAME", () => {
  test("writes manifests of the operator's shape for each scenario, and no rates", async () => {
    const io = await distribute(...names, ...handler, "--api-key", "very-secret");
    expect(io.errors()).toBe("");
    expect(io.exitCode).toBe(0);
    for (const name of names) {
      for (const [file, schema] of [
        ["testrun.yaml", testRunSchema],
        ["configmap.yaml", configMapSchema],
      ] as const) {
        const manifest = await manifestOf(io, `${name}/${file}`);
        const validate = new Ajv({ allErrors: true }).compile(schema);
        expect(validate(manifest), JSON.stringify(validate.errors)).toBe(true);
        expect(JSON.stringify(manifest)).not.toContain("very-secret");
      }
      expect(io.output()).toContain(`kubectl apply -f`);
      expect(io.output()).toContain(join("out", "k8s", name));
    }
    await expect(manifestOf(io, "testrun.yaml")).rejects.toThrow("ENOENT");
  });

  test.each([
    { words: ["soak"], error: /soak needs handler.*\n.*--capability handler/ },
    { words: ["stream-readers", "--runners", "41"], error: /at most 40 runners can share it/ },
  ])("refuses $words", async ({ words, error }) => {
    const io = await distribute(...words);
    expect(io.exitCode).toBe(2);
    expect(io.errors()).toMatch(error);
  });
});
