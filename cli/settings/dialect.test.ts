import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { dialects } from "../../harness/dialects/shipped.ts";
import { deviationNames } from "../../harness/dialects/schema.ts";
import { CommandError } from "../errors.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { contractSettings } from "./contract.ts";
import { dialectOf } from "./dialect.ts";

function problemsOf(task: () => unknown): { message: string; problems: readonly string[] } {
  try {
    task();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("--dialect", () => {
  test("is the specification where nothing was asked for", () => {
    expect(dialectOf(undefined, fakeIo()).name).toBe("spec");
  });

  test.each(["spec", "runpod", "rp-local"])("knows %s by its name", (name) => {
    expect(dialectOf(name, fakeIo()).name).toBe(name);
  });

  test("reads a file, from the working directory", () => {
    const workingDirectory = temporaryDirectory();
    const dialect = { name: "ours", description: "Ours.", readings: { "RUNA-03": "413" } };
    writeFileSync(join(workingDirectory, "ours.json"), JSON.stringify(dialect));
    expect(dialectOf("ours.json", fakeIo({ workingDirectory }))).toEqual(dialect);
  });

  test("refuses a name that is none and offers the nearest", () => {
    const { message } = problemsOf(() => dialectOf("runpot", fakeIo()));
    expect(message).toContain("none of spec, runpod, rp-local");
    expect(message).toContain('did you mean "runpod"?');
  });

  test("names every problem of a file at once, each with its place", () => {
    const workingDirectory = temporaryDirectory();
    const wrong = { name: "ours", readings: { "STAT-09": "500" }, deviations: { methods: 1 } };
    writeFileSync(join(workingDirectory, "ours.json"), JSON.stringify(wrong));
    const { problems } = problemsOf(() => dialectOf("ours.json", fakeIo({ workingDirectory })));
    expect(problems).toEqual([
      "/description is missing",
      '/readings/STAT-09: expected one of 404, 400, got "500"',
      "/deviations/methods: expected a JSON object, got 1",
    ]);
  });

  test("says what is wrong with a file that is not JSON", () => {
    const workingDirectory = temporaryDirectory();
    writeFileSync(join(workingDirectory, "ours.json"), "{");
    const { message } = problemsOf(() => dialectOf("ours.json", fakeIo({ workingDirectory })));
    expect(message).toContain("is not JSON");
  });
});

test("a dialect that a config file or a variable names wrongly is told with that place", () => {
  const workingDirectory = temporaryDirectory();
  const path = join(workingDirectory, "queueproof.config.json");
  writeFileSync(path, '{ "dialect": "runpot" }');
  const io = fakeIo({ workingDirectory });
  expect(problemsOf(() => contractSettings({}, undefined, io)).message).toBe(
    `${path} /dialect runpot is none of spec, runpod, rp-local, and no file can be read there; did you mean "runpod"?`,
  );
  const environment = { QUEUEPROOF_DIALECT: path };
  const other = fakeIo({ workingDirectory, environment });
  expect(problemsOf(() => contractSettings({}, undefined, other)).message).toBe(
    `${path} (named by QUEUEPROOF_DIALECT) is not a dialect:`,
  );
});

describe("the page on dialects", () => {
  const page = readFileSync(new URL("../../docs/dialects.md", import.meta.url), "utf8");

  test.each(deviationNames)("tells the deviation %s", (name) => {
    expect(page).toContain(`| \`${name}\` `);
  });

  test.each(dialects)("tells every line of $name", ({ name, readings = {}, deviations = {} }) => {
    const [, section = ""] = page.split(`### ${name}\n`);
    const own = section.split("\n### ")[0] ?? "";
    const tolerated = (deviations.tolerates ?? []).map(({ requirement }) => requirement);
    for (const id of [...Object.keys(readings), ...tolerated]) expect(own).toContain(id);
    const named = new Set(["tolerates", "lacksRequirements", "skipsChecks"]);
    const lines = Object.keys(deviations).filter((member) => !named.has(member));
    for (const member of lines) expect(own).toContain(`\`${member}\``);
  });
});

describe("a service without endpoints and keys", () => {
  test("needs neither", () => {
    const flags = { baseUrl: "http://127.0.0.1:8000", dialect: "rp-local" };
    const { target } = contractSettings(flags, undefined, fakeIo());
    expect(target?.endpointId).toBeDefined();
    expect(target?.apiKey).toBeDefined();
  });

  test("is sent those that were given", () => {
    const given = { baseUrl: "http://127.0.0.1:8000", endpoint: "e", apiKey: "k" };
    const { target } = contractSettings({ ...given, dialect: "rp-local" }, undefined, fakeIo());
    expect(target).toMatchObject({ endpointId: "e", apiKey: "k" });
  });

  test("is the only one: the specification wants both", () => {
    const flags = { baseUrl: "http://127.0.0.1:8000" };
    const { problems } = problemsOf(() => contractSettings(flags, undefined, fakeIo()));
    expect(problems).toHaveLength(2);
  });
});
