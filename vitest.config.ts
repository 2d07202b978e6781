import { defineConfig } from "vitest/config";

/** The project's own tests. The contract suite is started by the command line . */
export default defineConfig({
  test: {
    name: "unit",
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", ".cache/**", "dist/**", "examples/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
