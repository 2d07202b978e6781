import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { kindsOf, parseJobs } from "../../harness/inputs/jobs-file.ts";
import { isTestsFile, parseTests } from "../../harness/inputs/tests-file.ts";
import type { JobTest } from "../../harness/inputs/tests-file.ts";
import { didYouMean } from "../did-you-mean.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { jsonOfFile } from "../json-file.ts";

/** The tests of a worker, and what its program is given besides. */
export interface WorkerTests {
  /** The file that they come from, as it is to be named. */
  readonly file: string;
  readonly tests: readonly JobTest[];
  readonly environment: Readonly<Record<string, string>>;
  /** What the file says of the deployment, and nothing here uses. */
  readonly unused: readonly string[];
}

/** Where people have their tests, in the order in which they are looked for. */
const usualFiles = [".runpod/tests.json", "test_input.json"] as const;

/** The first file of tests that lies in the working directory; undefined where there is none. */
export function usualTestsFile({ workingDirectory }: Io): string | undefined {
  return usualFiles.find((name) => existsSync(resolve(workingDirectory, name)));
}

/**
 * Reads the tests of a file or, without one, those of the working directory.
 * @throws CommandError WRONG_USAGE with every problem of the file at once
 */
export function workerTestsOf(
  given: string | undefined,
  jobTimeoutMs: number,
  io: Io,
): WorkerTests {
  const file = given ?? usualTestsFile(io);
  if (file === undefined) {
    throw new CommandError("WRONG_USAGE", "there are no tests to give to the worker", {
      problems: [`neither ${usualFiles.join(" nor ")} is in ${io.workingDirectory}`],
      hint: 'Give --tests FILE, or write test_input.json: {"input": {…}}, with an input that your handler takes.',
    });
  }
  const path = resolve(io.workingDirectory, file);
  const hint = "Give --tests the path of a readable JSON file.";
  const value = jsonOfFile(path, "the tests of the worker", hint);
  return isTestsFile(value)
    ? ofTestsFile(value, { file, path, jobTimeoutMs })
    : ofJobsFile(value, { file, path, jobTimeoutMs });
}

interface TestsPlace {
  readonly file: string;
  readonly path: string;
  readonly jobTimeoutMs: number;
}

function ofTestsFile(value: unknown, { file, path, jobTimeoutMs }: TestsPlace): WorkerTests {
  const parsed = parseTests(value, jobTimeoutMs);
  if (!parsed.ok) throw unusable(path, parsed.problems);
  const { tests, environment, unused } = parsed;
  return { file, tests, environment, unused };
}

const neither = 'it holds neither "tests" nor "input", and as a jobs file:';

/** A jobs file names an input for each kind; those that are to fail say so by their kind. */
function ofJobsFile(value: unknown, { file, path, jobTimeoutMs }: TestsPlace): WorkerTests {
  const parsed = parseJobs(value, { offer: didYouMean });
  if (!parsed.ok) throw unusable(path, [neither, ...parsed.problems]);
  const tests = kindsOf(parsed.jobs).flatMap((kind) => {
    const job = parsed.jobs[kind];
    if (job === undefined || !("input" in job)) return [];
    const { input } = job;
    return [{ name: kind, input, timeoutMs: jobTimeoutMs, expectsFailure: kind === "failing" }];
  });
  if (tests.length === 0) throw unusable(path, [neither, "it names no job"]);
  return { file, tests, environment: {}, unused: [] };
}

function unusable(path: string, problems: readonly string[]): CommandError {
  return new CommandError("WRONG_USAGE", `${path} holds no usable tests:`, {
    problems,
    hint: "Correct each of them; docs/test-my-worker.md#your-tests shows a whole file.",
  });
}
