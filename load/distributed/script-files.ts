import { readFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";

export interface ScriptFile {
  /** From the root of the scripts, with slashes: `scenarios/k6/rate.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Matches relative imports, but not those of types, which are gone before k6 looks for a file. */
const relativeImport = /^(?:import|export)\s+(?!type\b)[^;]*?from\s+"(\.[^"]+)";/gm;

/** A script of k6 and every file it imports, sorted: all that is needed to run it elsewhere. */
export async function scriptFiles(script: string): Promise<readonly ScriptFile[]> {
  const root = resolve(dirname(script), "..", "..");
  const texts = new Map<string, string>();
  const waiting = [resolve(script)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (texts.has(file)) continue;
    const text = await readFile(file, "utf8");
    texts.set(file, text);
    for (const [, imported = ""] of text.matchAll(relativeImport)) {
      waiting.push(resolve(dirname(file), imported));
    }
  }
  return [...texts]
    .map(([file, text]) => ({ path: relative(root, file).split(sep).join("/"), text }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
