import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { configMapSchema, testRunSchema } from "../../load/distributed/testing/testrun-schema.ts";
import { realK6 } from "../../load/k6/testing/real-k6.ts";
import { runCommandLine } from "../program.ts";
import { distribute, manifestOf, mounted } from "./testing/distribute.ts";
import { crdValidator, memberIn, membersOf, textIn } from "./testing/manifests.ts";

const { k6, reason } = await realK6();
const execute = promisify(execFile);

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
    expect(text).toMatch(/RATE-08: the runners cannot be put together: the points in .*ENOENT/);
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

  const crd = process.env["K6_OPERATOR_CRD"];
  test.skipIf(crd === undefined)(
    "writes what the operator's own definition takes (K6_OPERATOR_CRD names its file)",
    async () => {
      const validate = crdValidator(parse(await readFile(crd ?? "", "utf8")));
      const manifest = await manifestOf(await distribute(), "testrun.yaml");
      expect(validate(manifest)).toEqual([]);
      const spec = membersOf(manifest, "spec");
      for (const wrong of [
        { ...spec, parallelism: "2" },
        { ...spec, paralelism: 2 },
      ]) {
        expect(validate({ ...membersOf(manifest), spec: wrong })).toHaveLength(1);
      }
    },
  );

  test.skipIf(k6 === undefined)(
    `writes scripts that k6 reads as the operator's initializer does${reason && ` (${reason})`}`,
    async () => {
      const io = await distribute("--runners", "4");
      const folder = await mounted(await manifestOf(io, "configmap.yaml"), io);
      const testRun = await manifestOf(io, "testrun.yaml");
      const script = textIn(testRun, "spec", "script", "localFile").replace("/queueproof", folder);
      const [scenario] = [textIn(testRun, "spec", "initializer", "env", "0", "value")];
      const archive = join(io.workingDirectory, "archive.tar");
      const archiveWords = [
        "-O",
        archive,
        "--no-thresholds",
        "-e",
        `QUEUEPROOF_SCENARIO=${scenario}`,
      ];
      const path = k6?.path ?? "";
      await execute(path, ["archive", script, ...archiveWords]);
      const { stdout } = await execute(path, ["inspect", "--execution-requirements", archive]);
      // With fewer virtual users than runners the operator refuses the test.
      expect(memberIn(JSON.parse(stdout), "maxVUs")).toBeGreaterThanOrEqual(4);
    },
  );
});
