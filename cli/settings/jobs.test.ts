import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { fakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { contractSettings } from "./contract.ts";
import type { Flags } from "./sources.ts";

const server = { baseUrl: "http://127.0.0.1:1", endpoint: "e", apiKey: "key-of-a-test" };

/** Makes the settings of a run in a directory that holds these files. */
function settingsOf(flags: Flags, files: Readonly<Record<string, string>> = {}) {
  const workingDirectory = temporaryDirectory();
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(workingDirectory, name), text);
  return contractSettings({ ...server, ...flags }, undefined, fakeIo({ workingDirectory }));
}

function config(jobs: unknown): Readonly<Record<string, string>> {
  return { "queueproof.config.json": JSON.stringify({ jobs }) };
}

const quick = { input: { prompt: "hello" } };

describe("jobs of one's own", () => {
  test("come from the file that --jobs names", () => {
    const { jobs } = settingsOf({ jobs: "own.json" }, { "own.json": JSON.stringify({ quick }) });
    expect(jobs).toMatchObject({ quick });
  });

  test("stand in the config file itself, or in the file it names", () => {
    expect(settingsOf({}, config({ quick })).jobs).toMatchObject({ quick });
    const files = { ...config("own.json"), "own.json": JSON.stringify({ quick }) };
    expect(settingsOf({}, files).jobs).toMatchObject({ quick });
  });

  test("are a quick one where --input gives its input, or {} where it is allowed", () => {
    expect(settingsOf({ input: '{"prompt": "hello"}' }).jobs).toMatchObject({ quick });
    const allowed = settingsOf({ capability: ["quick"] });
    expect(allowed).toMatchObject({ capabilities: [], jobs: { quick: { input: {} } } });
    expect(settingsOf({}).jobs).toBeUndefined();
    expect(settingsOf({ capability: ["handler"] }).jobs).toBeUndefined();
  });

  test.each([
    [{ jobs: "none.json" }, "cannot be read"],
    [{ jobs: "broken.json" }, "broken.json is not JSON that can be used"],
    [{ jobs: "empty.json" }, "names no usable jobs"],
    [{ jobs: "wrong.json" }, "names no usable jobs"],
    [{ input: "hello" }, "--input is not JSON that can be used"],
    [{ input: "[]" }, "--input names no usable jobs"],
    [{ input: "{}", jobs: "empty.json" }, "these settings cannot be used"],
    [{ capability: ["slow"] }, "these settings cannot be used"],
  ])("%j is refused with one message", (flags, message) => {
    const files = { "broken.json": "{", "empty.json": "{}", "wrong.json": '{"quick": {}}' };
    expect(() => settingsOf(flags, files)).toThrow(message);
  });
});
