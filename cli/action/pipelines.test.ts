import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { record } from "../../test/cli/record.ts";
import { loadOptions } from "../settings/command-options.ts";
import { environmentNames } from "../settings/options.ts";
import { actionInputs } from "./inputs.ts";
import { actionDocument } from "./manifest.ts";

/** Checks the example pipelines as far as that is possible without the servers that they are for. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = async (name: string): Promise<string> =>
  readFile(join(root, "examples", "pipelines", name), "utf8");
const variables = new Set(loadOptions.flatMap((setting) => environmentNames(setting)));

describe("the workflow for GitHub", () => {
  test("gives the action nothing but inputs that it has", async () => {
    const block = (await text("github.yml")).split("uses: ./queueproof")[1] ?? "";
    const given = Array.from(
      block.split("- if:")[0]?.matchAll(/^ {10}([\w-]+):/gm) ?? [],
      ([, name]) => name,
    );
    const known = new Set(["command", ...actionInputs.map(({ name }) => name)]);
    expect(given).toContain("base-url");
    expect(given.filter((name) => name === undefined || !known.has(name))).toEqual([]);
  });
});

test("the workflow of a worker gives the action what it takes", async () => {
  const [, given = ""] = (await text("worker.yml")).split("uses: ./queueproof");
  const parsed: unknown = parse(given);
  const inputs = record(record(parsed)["with"]);
  expect(Object.keys(inputs).filter((name) => !Object.hasOwn(actionDocument.inputs, name))).toEqual(
    [],
  );
  expect(inputs).toMatchObject({ command: "worker" });
});

test("the pipeline for Jenkins sets nothing but variables that exist", async () => {
  const named = (await text("Jenkinsfile")).match(/QUEUEPROOF_\w+/g) ?? [];
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !variables.has(name))).toEqual([]);
});
