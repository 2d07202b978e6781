import { execFile } from "node:child_process";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Copies what git knows of a work tree into a new folder, and answers its path: who called it removes it. */
export async function checkoutOf(root: string): Promise<string> {
  const checkout = await mkdtemp(join(tmpdir(), "queueproof-checkout-"));
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-z"], { cwd: root });
  for (const file of stdout.split("\0").filter((name) => name !== "")) {
    await cp(join(root, file), join(checkout, file));
  }
  return checkout;
}
