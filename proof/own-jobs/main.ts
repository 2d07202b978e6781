import type { WorkLength } from "../../harness/inputs/jobs.ts";
import { jobKinds } from "../../openapi/capabilities.ts";
import type { JobKind } from "../../openapi/capabilities.ts";
import { table } from "../markdown-table.ts";
import { decidedIn, jobsFiles, problemsOf, runWithKinds } from "./run-with-kinds.ts";
import { TimeLeftError } from "./time-left-error.ts";

/** As in README's jobs file: its owner is sure of much less than the job of 16 to 17 s does. */
const slowInReadme = { atLeastMs: 8000, atMostMs: 60_000 };

/** What the row of a jobs file says of it. */
async function rowOf(kinds: readonly JobKind[], slowSaid?: WorkLength) {
  const begunMs = Date.now();
  const timeLeft = new TimeLeftError(begunMs);
  const results = await runWithKinds(kinds, {
    ...(slowSaid !== undefined && { slowSaid }),
    onEvent: (event) => timeLeft.follow(event, Date.now()),
  });
  const endedMs = Date.now();
  const note = slowSaid === undefined ? "" : `; slow is said to take ${rangeOf(slowSaid)}`;
  const cells = [
    `${kinds.join(", ") || "none"}${note}`,
    String(decidedIn(results)),
    ((endedMs - begunMs) / 1000).toFixed(0),
    `${(100 * timeLeft.worstShare(endedMs)).toFixed(1)} %`,
  ];
  return { cells, problems: problemsOf(results) };
}

function rangeOf({ atLeastMs, atMostMs }: WorkLength): string {
  return `${atLeastMs / 1000} to ${atMostMs / 1000} s`;
}

// `npm run own-jobs` counts how many requirements each jobs file decides on a real clock, and by how much the time left
// is wrong at most after the first third; all run at once, for some seven minutes. Exit code 1 where a check failed or
// stayed undecided.
const rows = await Promise.all([
  ...jobsFiles.map(async (kinds) => rowOf(kinds)),
  rowOf(jobKinds, slowInReadme),
]);
const head = ["kinds", "requirements decided", "seconds", "time left wrong by"];
const lines = table(
  head,
  rows.map(({ cells }) => cells),
);
process.stdout.write(`${lines}\n`);
const problems = rows.flatMap((row) => row.problems);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
