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

const plan: readonly Series[] = [
  { title: "one at a time", runs: 30, atOnce: 1, delayMs: 0 },
  { title: "four at once", runs: 10, atOnce: 4, delayMs: 0 },
  { title: "200 ms added to every answer", runs: 10, atOnce: 5, delayMs: 200 },
];

/**
 * Runs the suite fifty times against the clean reference, prints what came of it, and answers 1 where
 * anything failed or was left undecided.
 */
export async function cleanRuns(io: Io): Promise<number> {
  const rows: string[][] = [];
  let alarmCount = 0;
  for (const series of plan) {
    const { title, runs, atOnce } = series;
    const begunMs = performance.now();
    const alarms = await alarmsOfSeries(series);
    const seconds = (performance.now() - begunMs) / 1_000;
    for (const alarm of alarms) io.write(`${title}: ${alarm}\n`);
    alarmCount += alarms.length;
    rows.push([title, String(runs), String(atOnce), String(alarms.length), seconds.toFixed(1)]);
  }
  io.write(`${table(["runs", "number", "at once", "alarms", "seconds in all"], rows)}\n`);
  return alarmCount > 0 ? 1 : 0;
}

/** Each of the runs that are made at once has a process of its own. */
async function alarmsOfSeries({ runs, atOnce, delayMs }: Series): Promise<readonly string[]> {
  const subjects = Array.from({ length: runs }, (): Subject => ({ kind: "clean", delayMs }));
  const found = await runSuites(subjects, () => undefined, { processes: atOnce, suitesEach: 1 });
  return found.flatMap((run) => alarmsOf(run));
}
