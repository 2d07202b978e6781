import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import type { ProgramFault } from "./client-fault.ts";

const folder = new URL("../../examples/client/", import.meta.url);
const files = ["job-client.ts", "main.ts"];

/**
 * Writes the example client with these changes as JavaScript into a folder.
 * @returns the path of its program
 * @throws Error where a text to change is not there exactly once
 */
export async function writeClient(
  directory: string,
  changes: ProgramFault["changes"] = [],
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file, await readFile(new URL(file, folder), "utf8"));
  for (const [from, to] of changes) {
    const places = [...texts].filter(([, text]) => text.includes(from));
    const [[file, text] = ["", ""], ...others] = places;
    if (places.length === 0 || others.length > 0 || text.split(from).length !== 2) {
      throw new Error(`this is not in the example exactly once: ${from}`);
    }
    texts.set(
      file,
      text.replace(from, () => to),
    );
  }
  for (const [file, text] of texts) {
    const { outputText } = ts.transpileModule(text.replaceAll('.ts"', '.mjs"'), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    await writeFile(join(directory, file.replace(".ts", ".mjs")), outputText);
  }
  return join(directory, "main.mjs");
}
