import { endingMsMax, stopRuns } from "./stop-runs.ts";
import type { StoppedRun } from "./stop-runs.ts";

// `npm run stops [RUNS] [SEED]` stops that many runs (200) at random moments and prints those that ended wrongly.
const isGood = ({ endedAfterMs, problems }: StoppedRun): boolean =>
  endedAfterMs <= endingMsMax && problems.length === 0;
const [runs = "200", seed = "1"] = process.argv.slice(2);
const stopped = await stopRuns({
  runs: Number(runs),
  seed: Number(seed),
  onRun: (run) => {
    if (isGood(run)) return;
    const { words, signal, atMs, endedAfterMs, problems } = run;
    const what = `${words.slice(0, 2).join(" ")}, ${signal} after ${atMs} ms, ended after ${endedAfterMs} ms`;
    process.stdout.write(`${what}: ${problems.join("; ")}\n`);
  },
});
const wrong = stopped.filter((run) => !isGood(run));
const slowestMs = Math.max(...stopped.map(({ endedAfterMs }) => endedAfterMs));
process.stdout.write(
  `${stopped.length - wrong.length} passed, ${wrong.length} failed; the slowest ended after ${slowestMs} ms\n`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;
