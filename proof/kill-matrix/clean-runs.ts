import type { Io } from "../../cli/io.ts";
import { table } from "./kill-matrix-page.ts";
import { alarmsOf } from "./kill-matrix.ts";
import type { Subject } from "./suite-job.ts";
import { runSuites } from "./suite-pool.ts";

/** Some runs of the suite against the clean reference under one condition. */
interface Series {
  readonly title: string;
  readonly runs: number;
  readonly atOnce: number;
  /** Added to every answer. */
  readonly delayMs: number;
}

/** Makes most runs one at a time, and the rest several at once or with slow answers. */
function planOf(runs: number): readonly Series[] {
  const slow = Math.floor(runs / 5);
  return [
    { title: "one at a time", runs: runs - 2 * slow, atOnce: 1, delayMs: 0 },
    { title: "four at once", runs: slow, atOnce: 4, delayMs: 0 },
    { title: "200 ms added to every answer", runs: slow, atOnce: 5, delayMs: 200 },
  ].filter((series) => series.runs > 0);
}

/**
 * Runs the suite `runCount` times against the clean reference and prints what came of it. Returns 1 where anything
 * failed or was left undecided.
 */
export async function cleanRuns(io: Io, runCount = 50): Promise<number> {
  const rows: string[][] = [];
  let alarmedCount = 0;
  for (const series of planOf(runCount)) {
    const { title, runs, atOnce } = series;
    const begunMs = performance.now();
    const alarms = await alarmsOfSeries(series);
    const seconds = (performance.now() - begunMs) / 1_000;
    const alarmed = alarms.filter(({ length }) => length > 0);
    for (const alarm of alarmed.flat()) io.write(`${title}: ${alarm}\n`);
    alarmedCount += alarmed.length;
    rows.push([title, String(runs), String(atOnce), String(alarmed.length), seconds.toFixed(1)]);
  }
  io.write(`${table(["runs", "number", "at once", "with an alarm", "seconds in all"], rows)}\n`);
  if (alarmedCount === 0) io.write(`${boundText(runCount)}\n`);
  return alarmedCount > 0 ? 1 : 0;
}

/** The share p of all runs that may still raise an alarm after so many without one: (1 - p) ** runs = 5 %. */
function boundText(runs: number): string {
  const percent = 100 * (1 - 0.05 ** (1 / runs));
  return `No alarm in ${runs} runs: with 95 % confidence fewer than ${percent.toPrecision(2)} % of runs raise one.`;
}

/** The alarms of each run. Runs that are made at once have a process each. */
async function alarmsOfSeries({
  runs,
  atOnce,
  delayMs,
}: Series): Promise<readonly (readonly string[])[]> {
  const subjects = Array.from({ length: runs }, (): Subject => ({ kind: "clean", delayMs }));
  const found = await runSuites(subjects, () => undefined, { processes: atOnce, suitesEach: 1 });
  return found.map((run) => alarmsOf(run));
}
