import { mkdir, readFile, writeFile } from "node:fs/promises";

import { folderUrl } from "./documents.ts";
import { generateOperations } from "./operations.ts";
import { generateProfiles } from "./profiles.ts";
import { generateRequirements } from "./requirements.ts";
import { generateTypes } from "./types.ts";
import { generateValidators } from "./validators.ts";

/** A generated file: its path from the folder, and its text. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Makes every generated file, in memory. The same documents give the same texts. */
export async function generateFiles(): Promise<readonly GeneratedFile[]> {
  return [
    { path: "generated/job-api.ts", text: await generateTypes("job-api.yaml") },
    { path: "generated/control-api.ts", text: await generateTypes("control-api.yaml") },
    { path: "generated/operations.ts", text: await generateOperations() },
    { path: "generated/profiles.ts", text: await generateProfiles() },
    { path: "generated/requirements.ts", text: await generateRequirements() },
    { path: "generated/validators.ts", text: await generateValidators() },
  ];
}

/** The paths of the files that differ from those under `folder`, or are missing there. */
export async function staleFiles(
  files: readonly GeneratedFile[],
  folder: URL = folderUrl,
): Promise<readonly string[]> {
  const stale = await Promise.all(
    files.map(async ({ path, text }) => {
      const committed = await readFile(new URL(path, folder), "utf8").catch(() => undefined);
      return committed === text ? [] : [path];
    }),
  );
  return stale.flat();
}

export async function writeFiles(
  files: readonly GeneratedFile[],
  folder: URL = folderUrl,
): Promise<void> {
  await Promise.all(
    files.map(async ({ path, text }) => {
      const file = new URL(path, folder);
      await mkdir(new URL(".", file), { recursive: true });
      await writeFile(file, text);
    }),
  );
}

/**
 * Writes the files under `folder`; with `--check` on the command line it only names those that are stale, and makes the
 * process fail.
 * @param folderName what the folder is called in that message
 */
export async function writeOrCheck(
  files: readonly GeneratedFile[],
  folder: URL,
  folderName: string,
): Promise<void> {
  if (!process.argv.includes("--check")) return writeFiles(files, folder);
  const stale = await staleFiles(files, folder);
  for (const path of stale) {
    process.stderr.write(
      `${folderName}/${path} is stale: run \`npm run generate\` and commit it.\n`,
    );
  }
  if (stale.length > 0) process.exitCode = 1;
  return undefined;
}
