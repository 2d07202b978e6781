import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { contractOptions } from "./command-options.ts";
import { resolveSettings } from "./resolve.ts";
import type { SettingValues } from "./options.ts";
import type { Flags } from "./sources.ts";

interface Given {
  readonly flags?: Flags;
  readonly environment?: Io["environment"];
  readonly file?: unknown;
}

function resolved({ flags = {}, environment = {}, file }: Given): SettingValues {
  const workingDirectory = temporaryDirectory();
  if (file !== undefined) {
    const text = typeof file === "string" ? file : JSON.stringify(file);
    writeFileSync(join(workingDirectory, "queueproof.config.json"), text);
  }
  const io = fakeIo({ environment, workingDirectory });
  return resolveSettings({ settings: contractOptions, flags, config: undefined }, io);
}

function problemsOf(given: Given): readonly string[] {
  try {
    resolved(given);
  } catch (error) {
    if (error instanceof CommandError && error.code === "WRONG_USAGE") return error.problems;
    throw error;
  }
  throw new Error("the settings were accepted");
}

describe("precedence", () => {
  const flags = { seed: "1" };
  const environment = { QUEUEPROOF_SEED: "2" };
  const file = { seed: 3 };

  test.each([
    { sources: "option, variable and file", given: { flags, environment, file }, seed: 1 },
    { sources: "variable and file", given: { environment, file }, seed: 2 },
    { sources: "file", given: { file }, seed: 3 },
    { sources: "nothing", given: {}, seed: undefined },
  ])("of $sources is seed $seed", ({ given, seed }) => {
    expect(resolved(given).seed).toBe(seed);
  });

  test("a variable's list is separated by commas, a repeated option's may be too", () => {
    expect(resolved({ environment: { QUEUEPROOF_ONLY: "AUTH-*,RUNA-01" } }).only).toEqual([
      "AUTH-*",
      "RUNA-01",
    ]);
    expect(resolved({ flags: { only: ["AUTH-*", "RUNA-01,RUNA-02"] } }).only).toEqual([
      "AUTH-*",
      "RUNA-01",
      "RUNA-02",
    ]);
  });

  test("QUEUEPROOF_URL is QUEUEPROOF_BASE_URL, which wins over it", () => {
    const url = "http://a.test";
    expect(resolved({ environment: { QUEUEPROOF_URL: url } }).baseUrl).toBe(url);
    expect(
      resolved({ environment: { QUEUEPROOF_URL: url, QUEUEPROOF_BASE_URL: "http://b.test" } })
        .baseUrl,
    ).toBe("http://b.test");
  });

  test("a flag's variable is true or false, in words or figures", () => {
    expect(resolved({ environment: { QUEUEPROOF_BASELINE_UPDATE: "1" } }).baselineUpdate).toBe(
      true,
    );
    expect(resolved({ environment: { QUEUEPROOF_BASELINE_UPDATE: "false" } }).baselineUpdate).toBe(
      false,
    );
  });
});

describe("problems", () => {
  test("of a config file are told all at once, each with its place and what is expected", () => {
    const file = {
      baseURL: "http://a.test",
      seed: "x",
      format: ["html", "jason"],
      timeBudget: "2",
    };
    const problems = problemsOf({ file });

    expect(problems).toHaveLength(4);
    expect(problems.join("\n")).toMatch(/\/baseURL is not a known key; did you mean "baseUrl"\?/);
    expect(problems.join("\n")).toMatch(/\/seed: expected an integer from 0 to \d+, got "x"/);
    expect(problems.join("\n")).toMatch(/\/format\/1: .*got "jason"; did you mean "json"\?/);
    expect(problems.join("\n")).toMatch(/\/timeBudget: expected a duration .* or full, got "2"/);
  });

  test("of all sources are told together, each by the name of its source", () => {
    const problems = problemsOf({
      flags: { seed: "-1" },
      environment: { QUEUEPROOF_CAPABILITY: "clok" },
      file: { baseUrl: "ftp://a.test" },
    });

    expect(problems.join("\n")).toMatch(/config\.json \/baseUrl: expected an http or https URL/);
    expect(problems.join("\n")).toMatch(/^QUEUEPROOF_CAPABILITY: .*did you mean "clock"\?$/m);
    expect(problems.join("\n")).toMatch(/^--seed: expected an integer .*, got -1$/m);
  });

  test("a variable that is set but empty is refused: a lost secret must not change the target", () => {
    expect(problemsOf({ environment: { QUEUEPROOF_BASE_URL: "" } })).toEqual([
      'QUEUEPROOF_BASE_URL: expected an http or https URL, got ""',
    ]);
  });

  test.each([
    ["https://me:hunter2@a.test", "a user and password, for no request carries them"],
    ["https://me@a.test/", "a user and password, for no request carries them"],
    ["https://a.test/?token=hunter2", "a query (?…)"],
    ["https://a.test/hunter2#here", "a fragment (#…)"],
    [
      "https://me:hunter2@a.test/?x#y",
      "a user and password, for no request carries them and a query (?…) and a fragment (#…)",
    ],
  ])("what a URL holds too much is named, and not repeated: %s", (url, what) => {
    const problem = `expected an http or https URL without ${what}`;
    expect(problemsOf({ flags: { baseUrl: url, control: url, webhookUrl: url } })).toEqual(
      ["--base-url", "--control", "--webhook-url"].map((option) => `${option}: ${problem}`),
    );
  });

  test("a secret is never shown", () => {
    expect(problemsOf({ file: { apiKey: ["s3cret-key"] } }).join("\n")).not.toContain("s3cret");
  });

  test("comments and trailing commas are fine in a file", () => {
    expect(resolved({ file: '// mine\n{ "seed": 3, /* not "seed": 4 */ }' }).seed).toBe(3);
  });

  test("a file that is not JSON, or not an object, is refused", () => {
    expect(() => resolved({ file: '{\n  "seed": 3\n  "only": []\n}' })).toThrow(CommandError);
    expect(problemsOf({ file: '{\n  "seed": 3\n  "only": []\n}' })).toEqual([
      expect.stringMatching(/config\.json:3:3: .*JSON/),
    ]);
    expect(problemsOf({ file: "" })).toEqual([expect.stringMatching(/:1:1: .*end/)]);
    expect(() => resolved({ file: "{seed: 1}" })).toThrow(/is not JSON/);
    expect(problemsOf({ file: "[]" }).join("\n")).toMatch(/expected a JSON object/);
  });

  test("a file that was named must be there", () => {
    const given = { settings: contractOptions, flags: {}, config: "missing.json" };
    const io = fakeIo({ workingDirectory: temporaryDirectory() });
    expect(() => resolveSettings(given, io)).toThrow(/missing\.json cannot be read/);
  });
});
