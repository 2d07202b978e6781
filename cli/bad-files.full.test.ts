import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { writeReports } from "../reports/index.ts";
import { startCommand } from "./testing/command.ts";
import { reportOf } from "./testing/report.ts";
import { stubServer } from "./testing/stub-server.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

let directory = "";

beforeEach(async () => {
  directory = join(temporaryDirectory(), "mein Bericht ü 報告");
  await writeReports(reportOf({ "AUTH-01": "fail" }), { directory, formats: ["json"] });
  const text = readFileSync(join(directory, "report.json"), "utf8");
  const files = {
    "half.json": text.slice(0, text.length / 2),
    "later.json": text.replace("queueproof-report/1", "queueproof-report/2"),
    "junk.json": "x".repeat(5_000_000),
    "deep.json": "[".repeat(1_000_000),
    "empty.json": "",
    "object.json": "{}",
    "null.json": "null",
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, name), content);
  mkdirSync(join(directory, "folder"));
});

test("a second signal ends a run at once, with the report before it untouched", async () => {
  // Nothing but health is ever answered, so the check under way cannot end by itself.
  const url = await stubServer((request, response) => {
    if (request.url?.endsWith("/health") === true) response.end("{}");
  });
  const noControl = ["--endpoint", "e", "--api-key", "k", "--report", "."];
  const words = ["contract", "--base-url", url, ...noControl, "--only", "RUNA-01"];
  const before = readFileSync(join(directory, "report.json"), "utf8");
  // The process sends itself the second one as soon as it has heard the first.
  const twice = `process.once("SIGINT", () => process.kill(process.pid, "SIGINT"))`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(twice)}`;
  const running = startCommand(words, directory, { NODE_OPTIONS: preload });
  await running.printed(/^\d+ checks?$/m);
  running.kill("SIGINT");
  expect((await running.exit).exitCode).toBe(130);
  expect(readFileSync(join(directory, "report.json"), "utf8")).toBe(before);
});
