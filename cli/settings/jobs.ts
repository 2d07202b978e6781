import { resolve } from "node:path";
// Not imported from the harness's index, so that help need not load the checks.
import { kindsOf, parseJobs } from "../../harness/inputs/jobs-file.ts";
import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import { isTestsFile, parseTests } from "../../harness/inputs/tests-file.ts";
import type { JobTest } from "../../harness/inputs/tests-file.ts";
import { jobKinds } from "../../openapi/capabilities.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { jsonOfFile, parsedJson } from "../json-file.ts";
import { didYouMean } from "../did-you-mean.ts";
import type { SettingValues } from "./options.ts";

/** Finds settings about jobs that do not fit together. */
export function jobsProblems({ jobs, input, capability = [] }: SettingValues): readonly string[] {
  if (jobs !== undefined) {
    if (input === undefined) return [];
    return ["--input and --jobs do not fit together: put the input into the file as `quick`"];
  }
  if (capability.includes("handler")) return [];
  return jobKinds
    .filter((kind) => kind !== "quick" && capability.includes(kind))
    .map((kind) => `--capability ${kind} needs --jobs FILE, which names the job`);
}

/**
 * Returns the jobs of a jobs file, of the config file, or of `--input`. Where a quick job is allowed but none is given,
 * its input is `{}`.
 * @throws CommandError WRONG_USAGE with every problem of the file at once
 */
export function ownJobsOf(
  { jobs, input, capability = [] }: SettingValues,
  io: Io,
): OwnJobKinds | undefined {
  if (typeof jobs === "string") {
    const { path, value } = contentOf(jobs, io);
    return isTestsFile(value) ? undefined : parsed(value, path);
  }
  if (jobs !== undefined) return parsed(jobs, "/jobs of the config file", (at) => `/jobs${at}`);
  if (input !== undefined) return fromInput(input);
  return capability.includes("quick") && !capability.includes("handler")
    ? fromInput("{}")
    : undefined;
}

/**
 * Returns the tests of a `test_input.json` or `.runpod/tests.json` that stands in place of a jobs file.
 * @throws CommandError WRONG_USAGE with every problem of the file at once
 */
export function jobTestsOf({ jobs }: SettingValues, io: Io): readonly JobTest[] | undefined {
  if (typeof jobs !== "string") return undefined;
  const { path, value } = contentOf(jobs, io);
  if (!isTestsFile(value)) return undefined;
  const result = parseTests(value);
  if (result.ok) return result.tests;
  throw new CommandError("WRONG_USAGE", `${path} holds no usable tests:`, {
    problems: result.problems,
    hint: "Correct each of them, or give a jobs file (docs/test-my-server.md#jobs-of-your-own).",
  });
}

function contentOf(given: string, io: Io): { readonly path: string; readonly value: unknown } {
  const path = resolve(io.workingDirectory, given);
  const hint = "Give --jobs the path of a readable JSON file.";
  return { path, value: jsonOfFile(path, "the jobs file", hint) };
}

function fromInput(text: string): OwnJobKinds {
  const quick = { input: parsedJson(text, "--input") };
  return parsed({ quick }, "--input", () => "--input");
}

function parsed(value: unknown, source: string, nameOf?: (pointer: string) => string): OwnJobKinds {
  const result = parseJobs(value, { offer: didYouMean, ...(nameOf !== undefined && { nameOf }) });
  const problems = result.ok ? emptyProblems(result.jobs) : result.problems;
  if (result.ok && problems.length === 0) return result.jobs;
  throw new CommandError("WRONG_USAGE", `${source} names no usable jobs:`, {
    problems,
    hint: "Correct each of them; docs/test-my-server.md#jobs-of-your-own shows a whole file.",
  });
}

function emptyProblems(jobs: OwnJobKinds): readonly string[] {
  return kindsOf(jobs).length > 0 ? [] : [`expected one or more of ${jobKinds.join(", ")}`];
}
