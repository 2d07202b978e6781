import { afterEach, expect, test, vi } from "vitest";

import { toolNamed } from "./tools.ts";

afterEach(() => vi.unstubAllEnvs());

test("finds a program that is there", () => {
  expect(toolNamed("node", "")).toMatchObject({ missing: "" });
  expect(toolNamed("node", "").path).toMatch(/\/node$/);
});

test("says why, and what to do, where it is missing", () => {
  vi.stubEnv("CI", "");
  const { path, missing } = toolNamed("no-such-tool", "Install it.");
  expect(path).toBe("");
  expect(missing).toBe("no-such-tool is not installed. Install it.");
});

test("fails in CI instead of skipping", () => {
  vi.stubEnv("CI", "true");
  expect(() => toolNamed("no-such-tool", "Install it.")).toThrow("no-such-tool is not installed");
});
