import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepStacks } from "./stacks.ts";
import type { CallSite } from "./stacks.ts";

// `npm run walk` runs one check by the command line and prints the files of the project that are on the stack when its
// request is sent, its verdict is made, the verdict is put into the report, and the report is written. They have
// to be read to follow a check from the command to its request, and to its verdict in report.json.

const built = new URL("../../", import.meta.url);
const requirement = "CANC-01";
const check = "contracts/cancel/queued.js";

const called: CallSite = { file: "cli/command-rows.js", begins: "async function runChecks(" };
const sent: CallSite = { file: "client/transport.js", begins: "async send(" };
const judged: CallSite = { file: "harness/judge.js", begins: "export function judgeRequirement(" };
const reported: CallSite = {
  file: "reports/verdicts.js",
  begins: "export function requirementVerdict(",
};
const written: CallSite = {
  file: "reports/write.js",
  begins: "export async function writeReports(",
};
const calls = [called, sent, judged, reported, written];

const stacks = keepStacks(built, calls);
const directory = mkdtempSync(join(tmpdir(), "queueproof-walk-"));
process.on("exit", () => {
  rmSync(directory, { recursive: true });
  const ofCheck = stacks.of(sent).filter((files) => files.has(check));
  const files = new Set<string>();
  const walks = [ofCheck, ...[called, judged, reported, written].map((each) => stacks.of(each))];
  for (const walk of walks) for (const file of longestOf(walk)) files.add(file);
  for (const file of files) if (file.startsWith("proof/")) files.delete(file);
  process.stdout.write(`\n${[...files].toSorted().join("\n")}\n`);
  process.stdout.write(`${files.size} files, of ${ofCheck.length} requests the deepest\n`);
});

const words = ["contract", "--reference", "--only", requirement];
// The files that tsc has written of the sources, not those that are bundled for the package.
const { processIo } = await import("../../cli/io.ts");
const { runCommandLine } = await import("../../cli/program.ts");
await runCommandLine([...words, "--report", directory, "--format", "json"], processIo());
process.exit();

function longestOf(all: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return all.reduce((one, other) => (other.size > one.size ? other : one), new Set<string>());
}
