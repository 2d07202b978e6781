import { table } from "../kill-matrix/kill-matrix-page.ts";
import { decidedIn, jobsFiles, problemsOf, runWithKinds } from "./run-with-kinds.ts";

// `npm run own-jobs` counts how many requirements each jobs file decides on a real clock; all run at once, for some seven
// minutes. Exit code 1 where a check failed or stayed undecided.
const rows = await Promise.all(
  jobsFiles.map(async (kinds) => {
    const begunMs = performance.now();
    const results = await runWithKinds(kinds);
    const seconds = (performance.now() - begunMs) / 1000;
    return { kinds, decided: decidedIn(results), seconds, problems: problemsOf(results) };
  }),
);
const cells = rows.map(({ kinds, decided, seconds }) => [
  kinds.join(", ") || "none",
  String(decided),
  seconds.toFixed(0),
]);
process.stdout.write(`${table(["kinds", "requirements decided", "seconds"], cells)}\n`);
const problems = rows.flatMap((row) => row.problems);
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
