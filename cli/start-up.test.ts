import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModules from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";
import { main, root } from "../test/project.ts";

/** Lists what is loaded before the command is known: files, and the packages among them. */
async function loadedAtStart(): Promise<{ files: readonly string[]; packages: readonly string[] }> {
  const { metafile } = await build({
    // main.ts imports program.ts dynamically, once it listens for signals.
    entryPoints: ["cli/main.ts", "cli/program.ts"],
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outdir: ".cache/never-written",
    write: false,
    metafile: true,
  });
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path, kind, external } of importsOf(metafile, file)) {
      if (kind !== "import-statement") continue;
      if (external !== true) visit(path);
      else if (!path.startsWith("node:")) packages.add(path);
    }
  };
  visit("cli/main.ts");
  visit("cli/program.ts");
  return { files: [...seen], packages: [...packages].toSorted() };
}

function importsOf({ inputs }: Metafile, file: string): Metafile["inputs"][string]["imports"] {
  return inputs[file]?.imports ?? [];
}

test("help and version load neither checks, server, schemas nor writers", async () => {
  const { files, packages } = await loadedAtStart();
  expect(packages).toEqual(["commander", "fastest-levenshtein"]);
  expect(files).toContain("cli/command-rows.ts");
  // From other folders, only the words that options need may be loaded.
  const words = [
    "client/user-cache.ts",
    "harness/time-budget.ts",
    "load/hooks/hook-names.ts",
    "openapi/capabilities.ts",
    "openapi/generated/profiles.ts",
    "openapi/installation.ts",
    "openapi/profiles.ts",
    "reports/report-formats.ts",
    "reports/words.ts",
    "traffic/clients/client-tasks.ts",
    "traffic/judged-by-traffic.ts",
  ];
  expect(files.filter((file) => !file.startsWith("cli/")).toSorted()).toEqual(words);
});

test("what Node keeps of compiled scripts lies in the user's own cache", () => {
  const home = temporaryDirectory();
  execFileSync(process.execPath, [main, "--version"], { env: { HOME: home } });
  const keeps = "enableCompileCache" in nodeModules;
  expect(existsSync(join(home, ".cache/queueproof/compiled"))).toBe(keeps);
});
