import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Io } from "../io.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { namesNoTarget } from "./sources.ts";

function io(environment: Io["environment"] = {}): Io {
  return fakeIo({ environment, workingDirectory: temporaryDirectory() });
}

describe("no target is named", () => {
  test("where nothing is given, or other settings", () => {
    expect(namesNoTarget({}, undefined, io())).toBe(true);
    expect(namesNoTarget({ seed: "1" }, undefined, io({ QUEUEPROOF_SEED: "2" }))).toBe(true);
  });

  test.each([
    { flags: { baseUrl: "http://localhost" }, config: undefined, environment: {} },
    { flags: { control: "http://localhost/c" }, config: undefined, environment: {} },
    { flags: {}, config: "queueproof.json", environment: {} },
    { flags: {}, config: undefined, environment: { QUEUEPROOF_CONFIG: "queueproof.json" } },
    { flags: {}, config: undefined, environment: { QUEUEPROOF_URL: "http://localhost" } },
    { flags: {}, config: undefined, environment: { QUEUEPROOF_BASE_URL: "http://localhost" } },
    { flags: {}, config: undefined, environment: { QUEUEPROOF_CONTROL: "http://localhost/c" } },
  ])("but may be by $flags $config $environment", ({ flags, config, environment }) => {
    expect(namesNoTarget(flags, config, io(environment))).toBe(false);
  });

  test("but may be by a config file that is there", () => {
    const world = io();
    writeFileSync(join(world.workingDirectory, "queueproof.config.json"), "{}");
    expect(namesNoTarget({}, undefined, world)).toBe(false);
  });
});
