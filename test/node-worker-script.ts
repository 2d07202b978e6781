import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll } from "vitest";

/** Writes node-worker.ts as JavaScript that any Node runs, until the tests of the file have ended. Returns its path. */
export function nodeWorkerScript(): string {
  const folder = mkdtempSync(join(tmpdir(), "queueproof-worker-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const source = readFileSync(new URL("node-worker.ts", import.meta.url), "utf8");
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const path = join(folder, "node-worker.mjs");
  writeFileSync(path, ts.transpileModule(source, { compilerOptions }).outputText);
  return path;
}
