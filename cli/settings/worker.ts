import type { Io } from "../io.ts";
import { workerOptions } from "./command-options.ts";
import { parseDurationMs } from "./duration.ts";
import { judgementDemandsOf } from "./report-demands.ts";
import type { JudgementDemands } from "./report-demands.ts";
import { refuseUnusable, resolveMeaningful } from "./resolve.ts";
import { selectionProblemsOf } from "./selection.ts";
import type { SettingValues } from "./options.ts";
import type { GivenFlags } from "./sources.ts";
import { workerTestsOf } from "./worker-tests.ts";
import type { WorkerTests } from "./worker-tests.ts";

export interface WorkerSettings extends JudgementDemands {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly given: WorkerTests;
  readonly startWithinMs: number;
  readonly runs: number;
  readonly once: ReadonlySet<string>;
  /** How many processes of it work. */
  readonly workers: number;
  readonly hasBadInputs: boolean;
  readonly dryRun: boolean;
}

/**
 * Makes the complete settings of `worker`.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function workerSettings(
  words: readonly string[],
  flags: GivenFlags,
  io: Io,
): WorkerSettings {
  const [program = "", ...rest] = words;
  const values = resolveMeaningful(
    { settings: workerOptions, ...flags },
    io,
    selectionProblemsOf("worker"),
    (read) => [...workersProblems(read), ...(program === "" ? [programMissing] : [])],
  );
  const { startWithin = "2m", jobTimeout = "1m", once = [] } = values;
  const given = workerTestsOf(values.tests, parseDurationMs(jobTimeout), io);
  const names = given.tests.map(({ name }) => name);
  refuseUnusable(
    once
      .filter((name) => !names.includes(name))
      .map((name) => `--once: expected one of ${names.join(", ")}, got ${name}`),
  );
  return {
    ...judgementDemandsOf(values, ["worker"], io),
    command: [program, ...rest],
    given,
    startWithinMs: parseDurationMs(startWithin),
    runs: values.runs ?? 2,
    once: new Set(once),
    workers: Number(values.workers ?? "1"),
    hasBadInputs: values.noBadInputs !== true,
    dryRun: values.dryRun ?? false,
  };
}

const programMissing =
  "the program is missing: give it after --, as in `queueproof worker -- python -u handler.py`";

const workersMax = 64;

function workersProblems({ workers = "1" }: SettingValues): readonly string[] {
  const count = Number(workers);
  return Number.isInteger(count) && count >= 1 && count <= workersMax
    ? []
    : [`--workers: expected a number of processes from 1 to ${workersMax}, got "${workers}"`];
}
