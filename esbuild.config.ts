import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";

/**
 * Writes the scripts of the package to dist, with what they import from node_modules: some 700 modules start in half the
 * time as a few files. Node reads its own modules, the native database, the load engine with workers of its own and the
 * reader's vitest where they are installed.
 */
async function bundle(): Promise<void> {
  const { outputFiles } = await build({
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
    write: false,
  });
  // Who runs or packs what was built before goes on undisturbed: nothing is written anew that is the same.
  for (const { path, contents } of outputFiles) await writeChanged(path, contents);
  await removeAllBut(new Set(outputFiles.map(({ path }) => path)));
}

async function writeChanged(path: string, contents: Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(contents) === true) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

/** Removes the chunks that an earlier build has written and this one has not. */
async function removeAllBut(written: ReadonlySet<string>): Promise<void> {
  const folder = join(import.meta.dirname, "dist", "chunks");
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  await Promise.all(paths.filter((path) => !written.has(path)).map(async (path) => rm(path)));
}

await bundle();
