import { readFileSync } from "node:fs";
import { cp, mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Copies the files of a work tree into a new folder and returns its path; the caller has to remove it. */
export async function checkoutOf(root: string): Promise<string> {
  const checkout = await mkdtemp(join(tmpdir(), "queueproof-checkout-"));
  for (const file of await filesOf(root)) await cp(join(root, file), join(checkout, file));
  return checkout;
}

/** The paths of a work tree's files that .gitignore leaves, relative to it: tests run where git is not installed. */
export async function filesOf(root: string): Promise<readonly string[]> {
  const lines = readFileSync(join(root, ".gitignore"), "utf8").split("\n");
  const ignored = new Set([".git", ...lines.map((line) => line.replace(/\/$/, ""))]);
  const isIgnored = (path: string, name: string): boolean =>
    ignored.has(path) || ignored.has(name) || ignored.has(`*${/\.\w+$/.exec(name)?.[0] ?? ""}`);
  const walk = async (folder: string): Promise<readonly string[]> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    const found = await Promise.all(
      entries.map(async (entry) => {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (isIgnored(path, entry.name)) return [];
        return entry.isDirectory() ? walk(path) : [path];
      }),
    );
    return found.flat();
  };
  return (await walk("")).toSorted();
}
