import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("../../dist/proof/walk/main.js", import.meta.url));

/** The most files that have to be read to follow a check. */
const filesMax = 35;

test("few files lie between the command, a check's request and its verdict in the report", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [main]);
  const files = stdout.split("\n").filter((line) => /^[a-z]+\/.*\.js$/.test(line));
  // One file of each part of the way, to show that the stacks lost none.
  const ends = [
    "cli/program.js",
    "harness/run.js",
    "contracts/cancel/queued.js",
    "client/transport.js",
  ];
  const later = ["harness/judge.js", "reports/create-report.js", "reports/write.js"];
  expect(files).toEqual(expect.arrayContaining([...ends, ...later]));
  expect(files.length).toBeLessThanOrEqual(filesMax);
  expect(stdout).toMatch(new RegExp(`^${files.length} files, of [1-9]`, "m"));
});
