import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeReports } from "../reports/write.ts";
import { startCommand } from "../test/cli/command.ts";
import { reportOf } from "../test/cli/report.ts";
import { stubServer } from "../test/harness/scripted-server.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

/**
 * Interrupts a run that cannot end by itself, in a directory that holds a report, and returns whether that report is
 * untouched. The process sends itself the second signal so long after it has received the first, and does nothing
 * in between.
 */
async function leavesReport(secondAfterMs: number): Promise<boolean> {
  // The server answers only health, so the current check cannot end by itself.
  const url = await stubServer((request, response) => {
    if (request.url?.endsWith("/health") === true) response.end("{}");
  });
  const noControl = ["--endpoint", "e", "--api-key", "k", "--report", "."];
  const words = ["contract", "--base-url", url, ...noControl, "--only", "RUNA-01"];
  const directory = temporaryDirectory();
  await writeReports(reportOf({ "AUTH-01": "fail" }), { directory, formats: ["json"] });
  const before = readFileSync(join(directory, "report.json"), "utf8");
  const wait = `const end = Date.now() + ${secondAfterMs}; while (Date.now() < end);`;
  const again = `{ ${wait} process.kill(process.pid, "SIGINT"); }`;
  const twice = `process.once("SIGINT", () => setImmediate(() => ${again}))`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(twice)}`;
  const running = startCommand(words, directory, { NODE_OPTIONS: preload });
  await running.printed(/^\d+ checks? to run$/m);
  running.kill("SIGINT");
  expect((await running.exit).exitCode).toBe(130);
  return readFileSync(join(directory, "report.json"), "utf8") === before;
}

test("a second signal ends a run at once, with the report before it untouched", async () => {
  expect(await leavesReport(200)).toBe(true);
});

test("a signal that comes twice at the same time is one: the report is written", async () => {
  expect(await leavesReport(0)).toBe(false);
});
