import { defineConfig } from "vitest/config";
import type { TestProjectInlineConfiguration } from "vitest/config";

const elsewhere = ["**/node_modules/**", ".cache/**", "dist/**", "examples/**"];
const ofFull = "**/*.full.test.ts";

/** Ends what hangs; no test depends on how fast the machine is. */
const hangMs = 300_000;

function project(
  name: string,
  include: readonly string[],
  exclude: readonly string[],
): TestProjectInlineConfiguration {
  const files = { include: [...include], exclude: [...elsewhere, ...exclude] };
  return { test: { name, ...files, testTimeout: hangMs, hookTimeout: hangMs } };
}

/**
 * The project's own tests. `unit` needs nothing but Node and is what `npm test` runs; `full` holds what needs
 * other programs, or minutes.
 */
export default defineConfig({
  test: {
    projects: [project("unit", ["**/*.test.ts"], [ofFull]), project("full", [ofFull], [])],
  },
});
