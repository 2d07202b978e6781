import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

import { describe, expect, test } from "vitest";

import { startEmulator } from "./emulator.ts";
import { pythonWithRunpod } from "./python.ts";
import { root } from "../project.ts";

const page = readFileSync(new URL("../../docs/local-development.md", import.meta.url), "utf8");
const [, section = ""] = page.split("## Real clients against it");

function blocks(language: string): readonly string[] {
  const own = section.split("\n## ")[0] ?? "";
  return [...own.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)]
    .filter(([, marked]) => marked === language)
    .map(([, , code = ""]) => code);
}

async function printed(program: string, words: readonly string[]): Promise<string> {
  const { reference, baseUrl } = await startEmulator("built-in");
  const env = {
    PATH: process.env["PATH"],
    BASE_URL: baseUrl,
    RUNPOD_ENDPOINT_BASE_URL: baseUrl,
    ENDPOINT: reference.endpointId,
    KEY: reference.apiKey,
  };
  return (await promisify(execFile)(program, words, { env, cwd: root })).stdout;
}

const { missing, path } = pythonWithRunpod();

test("the page of the emulator shows two clients in JavaScript and two in Python", () => {
  expect(blocks("js")).toHaveLength(2);
  expect(blocks("python")).toHaveLength(2);
});

describe("what it shows", () => {
  test.each(blocks("js"))("runs: %s", async (code) => {
    expect(await printed(process.execPath, ["--input-type=module", "-e", code])).toContain("hello");
  });
});

describe.skipIf(missing !== "")(`what it shows in Python ${missing}`, () => {
  test.each(blocks("python"))("runs: %s", async (code) => {
    expect(await printed(path, ["-c", code])).toContain("hello");
  });
});
