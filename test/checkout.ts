import { execFile } from "node:child_process";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Copies what git knows of a work tree into a new folder and returns its path; the caller has to remove it. */
export async function checkoutOf(root: string): Promise<string> {
  const checkout = await mkdtemp(join(tmpdir(), "queueproof-checkout-"));
  for (const file of await trackedFiles(root)) await cp(join(root, file), join(checkout, file));
  return checkout;
}

/** The paths that git knows of a work tree, relative to it. */
export async function trackedFiles(root: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-z"], { cwd: root });
  return stdout.split("\0").filter((name) => name !== "");
}
