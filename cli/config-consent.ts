import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { userCache } from "../client/user-cache.ts";
import { CommandError } from "./errors.ts";
import type { Io } from "./io.ts";
import type { ConfigUse } from "./settings/config-use.ts";
import { askYesOrNo } from "./terminal-input.ts";

/**
 * Asks before a secret goes to an address that only a config file names which was merely found in the working directory:
 * a checkout can bring one along. Somebody at a terminal is asked once for each content of such a file. Where nobody can
 * be asked, the run's first line tells it.
 * @throws CommandError WRONG_USAGE where it is not agreed to
 */
export async function demandConfigConsent(use: ConfigUse | undefined, io: Io): Promise<void> {
  if (use?.isFound !== true || use.foreignSecret === undefined || io.input === undefined) return;
  const file = join(userCache(io.environment), "agreed-config-files");
  const mark = createHash("sha256").update(`${use.path}\n${use.contents}`).digest("hex");
  const agreed = await readFile(file, "utf8").catch(() => "");
  if (agreed.split("\n").includes(mark)) return;
  const { path, addresses, foreignSecret } = use;
  const question = `${path}, found in this directory, names ${addresses.join(", ")}, and your ${foreignSecret} is from elsewhere. Send it there?`;
  if (!(await askYesOrNo(io.input, question))) {
    throw new CommandError("WRONG_USAGE", "nothing was sent: the config file was not agreed to", {
      hint: `Give the address as an option, or --config ${path} to use the file as it is.`,
    });
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, `${mark}\n`, { mode: 0o600 });
}
