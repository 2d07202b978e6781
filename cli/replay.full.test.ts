import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startCommand } from "../test/cli/command.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

describe("a signal that comes before the program has loaded", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("%s still leaves a report", async (signal) => {
    const directory = temporaryDirectory();
    // The process sends itself the signal at the first moment at which it could be handled.
    const early = `process.once("newListener", () => setImmediate(() => process.kill(process.pid, "${signal}")))`;
    const preload = `--import=data:text/javascript,${encodeURIComponent(early)}`;
    const run = startCommand(["contract"], directory, { NODE_OPTIONS: preload });
    expect((await run.exit).exitCode).toBe(130);
    const report = readFileSync(join(directory, "reports/latest/report.json"), "utf8");
    expect(JSON.parse(report)).toMatchObject({ interrupted: true });
  });
});
