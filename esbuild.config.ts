import { rm } from "node:fs/promises";
import { build } from "esbuild";

/**
 * Writes the scripts of the package to dist, with what they import from node_modules: some 700 modules start in half the
 * time as a few files. Node reads its own modules, the native database, the load engine with workers of its own and the
 * reader's vitest where they are installed.
 */
const chunks = "dist/chunks";

await rm(chunks, { recursive: true, force: true });
await build({
  entryPoints: [
    "cli/main.ts",
    "cli/embedded-reference-thread.ts",
    "cli/action/main.ts",
    "api/index.ts",
    "api/vitest.ts",
  ],
  outbase: ".",
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  external: ["libsql", "autocannon", "vitest"],
  sourcemap: true,
  sourcesContent: false,
  // What is CommonJS in node_modules asks for Node's modules by `require`, which an ES module has not.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
  },
  logLevel: "warning",
});
