import { defineConfig } from "vitest/config";
import type { TestProjectInlineConfiguration } from "vitest/config";

const elsewhere = ["**/node_modules/**", ".cache/**", "dist/**", "examples/**"];
const ofFull = "**/*.full.test.ts";

/** Ends what hangs; no test depends on how fast the machine is. */
const hangMs = 300_000;

interface Files {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

type TestOptions = TestProjectInlineConfiguration["test"];

function project(name: string, { include, exclude }: Files, options: TestOptions) {
  const files = { include: [...include], exclude: [...elsewhere, ...exclude] };
  const poll = { timeout: hangMs };
  const limits = { testTimeout: hangMs, hookTimeout: hangMs, expect: { poll } };
  return { test: { name, ...files, ...limits, ...options } };
}

/**
 * The project's own tests. `unit` needs nothing but Node and is what `npm test` runs; `full` holds what needs
 * other programs, or minutes, one file after the other.
 */
export default defineConfig({
  test: {
    projects: [
      // Loading the project anew for each file would take longer than all of the tests.
      project(
        "unit",
        { include: ["**/*.test.ts"], exclude: [ofFull] },
        { isolate: false, maxWorkers: "100%" },
      ),
      project("full", { include: [ofFull], exclude: [] }, { maxWorkers: 1 }),
    ],
  },
});
