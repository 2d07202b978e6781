import { findTool } from "../../load/go-tools/find.ts";
import { installTool } from "../../load/go-tools/install.ts";
import { k6Tool } from "../../load/k6/tool.ts";
import { CommandError, messageOf } from "../errors.ts";
import type { Io } from "../io.ts";

/**
 * `k6 path` prints the path of k6. `k6 install` builds it into the user's cache, unless there is one already, and
 * then prints its path.
 * @throws CommandError for another action, where k6 is missing, and where it cannot be built.
 */
export async function k6(action: string, io: Io): Promise<number> {
  if (action !== "path" && action !== "install") {
    const problem = `k6: expected path or install, got ${JSON.stringify(action)}`;
    const hint = "Run `queueproof k6 path` or `queueproof k6 install`.";
    throw new CommandError("WRONG_USAGE", problem, { hint });
  }
  const found = await findTool(k6Tool, io.environment);
  if (!("missing" in found)) {
    io.write(`${found.path}\n`);
    return 0;
  }
  if (action === "path") throw new CommandError("K6_MISSING", found.missing);

  io.writeError("Building k6 with Go; this takes a minute or two.\n");
  io.write(`${await built(io)}\n`);
  return 0;
}

async function built(io: Io): Promise<string> {
  try {
    return await installTool(k6Tool, {
      environment: io.environment,
      onOutput: io.writeError,
    });
  } catch (cause) {
    const hint = "Install Go 1.24 or later, or name a k6 that is there by K6_PATH.";
    throw new CommandError("K6_MISSING", messageOf(cause), { hint, cause });
  }
}
