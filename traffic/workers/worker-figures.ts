import type { JobTest } from "../../harness/inputs/tests-file.ts";
import type { Report } from "../../reports/model.ts";
import { outcomeText } from "./run-rules.ts";
import { isAsExpected, isLeftAlone, workedMs } from "./worker-test.ts";
import type { JobRun } from "./worker-test.ts";

/** The figures of a worker, as report.json holds them. */
export type WorkerFigures = NonNullable<Report["worker"]>;

interface SeenOfWorker {
  readonly tests: readonly JobTest[];
  readonly coldStartMs: number;
  /** Sentences of what is no fault, and worth knowing. */
  readonly told: readonly string[];
}

/** Makes the figures: of each test, of the start, and of the memory after each job of one input. */
export function workerFigures(
  runs: readonly JobRun[],
  { tests, coldStartMs, told }: SeenOfWorker,
): WorkerFigures {
  const rows = tests.flatMap((test) => {
    const own = runs.filter((run) => run.test === test && run.input === test.input);
    const [first, ...later] = own.filter(({ purpose }) => purpose !== "beside");
    if (first === undefined) return [];
    const peaks = own.map(({ peakMemoryBytes }) => peakMemoryBytes).filter(isNumber);
    return [
      {
        name: test.name,
        outcome: isAsExpected(first) ? "as expected" : outcomeText(first),
        runs: own.length,
        firstMs: rounded(workedMs(first)),
        laterMs: rounded(median(later.filter(isLeftAlone).map(workedMs).filter(isNumber))),
        resultBytes: Math.max(...own.map(({ resultBytes }) => resultBytes)),
        ...(peaks.length > 0 && { peakMemoryBytes: Math.max(...peaks) }),
      },
    ];
  });
  return {
    coldStartMs: Math.round(coldStartMs),
    tests: rows,
    memoryBytes: memoryOf(runs),
    ...(told.length > 0 && { told: [...told] }),
  };
}

/** The memory after each job of the input that ran most often, in order. */
export function memoryOf(runs: readonly JobRun[]): number[] {
  const own = runs.filter(
    (run) => run.input === run.test.input && run.purpose !== "beside" && isAsExpected(run),
  );
  const lists = [...new Set(own.map(({ test }) => test))].map((test) =>
    own
      .filter((run) => run.test === test)
      .map(({ memoryBytes }) => memoryBytes)
      .filter(isNumber),
  );
  return lists.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value);
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined;
}
