import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { parse } from "yaml";

import { runCommandLine } from "../../cli/program.ts";
import { fakeIo } from "./fake-io.ts";
import type { FakeIo } from "./fake-io.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { membersOf } from "./manifests.ts";

export interface Distributed extends FakeIo {
  readonly exitCode: number;
}

/** Runs `load --distributed k8s` with additional words; all files go into the folder out. */
export async function distribute(...words: readonly string[]): Promise<Distributed> {
  const io = fakeIo({ workingDirectory: temporaryDirectory() });
  const target = ["--base-url", "https://api.test", "--endpoint", "e 1"];
  const exitCode = await runCommandLine(
    ["load", ...target, "--distributed", "k8s", "--report", "out", ...words],
    io,
  );
  return { ...io, exitCode };
}

/** Reads one of the manifests that were written. */
export async function manifestOf(io: FakeIo, file: string): Promise<unknown> {
  return parse(await readFile(join(io.workingDirectory, "out", "k8s", file), "utf8"));
}

/** Writes the files of the ConfigMap where the mounted volume would have them. */
export async function mounted(configMap: unknown, { workingDirectory }: FakeIo): Promise<string> {
  const folder = join(workingDirectory, "mounted");
  for (const [key, text] of Object.entries(membersOf(configMap, "data"))) {
    const file = join(folder, key.replaceAll("__", "/"));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, String(text));
  }
  return folder;
}
