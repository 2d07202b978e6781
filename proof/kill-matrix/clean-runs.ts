import type { Io } from "../../cli/io.ts";
import { table } from "../markdown-table.ts";
import { alarmsOf } from "./kill-matrix.ts";
import type { LimitChoice, Subject, SuiteRun } from "./suite-job.ts";
import { runSuites } from "./suite-pool.ts";

/** Some runs of the suite against the clean reference under one condition. */
interface Series {
  readonly title: string;
  readonly runs: number;
  readonly atOnce: number;
  /** Added to every answer. */
  readonly delayMs: number;
  readonly limits: LimitChoice;
}

/**
 * Makes a twentieth of the runs alone, with every limit; then the others beside one another, where each is held up by the
 * others: most of them with the lowest limits, a twentieth with every limit, and a tenth with slow answers. The series of
 * one group are run side by side.
 */
function planOf(runs: number): readonly (readonly Series[])[] {
  const [alone, beside, slow] = [
    Math.ceil(runs / 20),
    Math.floor(runs / 20),
    Math.floor(runs / 10),
  ];
  const all = { delayMs: 0, limits: "all" } as const;
  const lowest = { delayMs: 0, limits: "lowest" } as const;
  return [
    [{ ...all, title: "one at a time, every limit", runs: alone, atOnce: 1 }],
    [
      { ...lowest, title: "four at once", runs: runs - alone - beside - slow, atOnce: 4 },
      { ...all, title: "two at once, every limit", runs: beside, atOnce: 2 },
      { ...lowest, title: "200 ms added to every answer", runs: slow, atOnce: 8, delayMs: 200 },
    ],
  ];
}

/** Far longer than a run takes on a machine with other work. */
const suiteMsMax = 900_000;

/**
 * Runs the suite `runCount` times against the clean reference and prints what came of it. Returns 1 where anything
 * failed or was left undecided.
 */
export async function cleanRuns(io: Io, runCount = 50): Promise<number> {
  const rows: string[][] = [];
  let alarmedCount = 0;
  const carryOut = async (series: Series): Promise<void> => {
    const { title, runs, atOnce } = series;
    const begunMs = performance.now();
    const alarmed = await alarmedRuns(series, (line) => io.write(`${title}: ${line}\n`));
    const seconds = (performance.now() - begunMs) / 1_000;
    alarmedCount += alarmed;
    rows.push([title, String(runs), String(atOnce), String(alarmed), seconds.toFixed(1)]);
  };
  for (const group of planOf(runCount)) {
    const wanted = group.filter(({ runs }) => runs > 0);
    await Promise.all(wanted.map(async (series) => carryOut(series)));
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

/** After so many runs a line tells how far they are: a thousand take most of an hour. */
const runsPerLine = 50;

/** How many runs raised an alarm; each is told at once. Runs that are made at once have a process each. */
async function alarmedRuns(
  { runs, atOnce, delayMs, limits }: Series,
  tell: (line: string) => void,
): Promise<number> {
  const subjects = Array.from({ length: runs }, (_, at): Subject => ({
    kind: "clean",
    delayMs,
    limits,
    seed: at + 1,
  }));
  let ended = 0;
  let alarmed = 0;
  const onRun = (_subject: Subject, run: SuiteRun): void => {
    const alarms = alarmsOf(run);
    if (alarms.length > 0) alarmed += 1;
    for (const alarm of alarms) tell(alarm);
    ended += 1;
    if (ended % runsPerLine === 0) tell(`${ended} of ${runs} runs, ${alarmed} with an alarm`);
  };
  await runSuites(subjects, { onRun, processes: atOnce, suitesEach: 1, suiteMsMax });
  return alarmed;
}
