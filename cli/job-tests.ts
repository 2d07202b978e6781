import { checkSummaries } from "../contracts/run-contract.ts";
import { jobKinds } from "../openapi/capabilities.ts";
import type { JobKind } from "../openapi/capabilities.ts";
import { parseJobs } from "../harness/inputs/jobs-file.ts";
import type { OwnJobKinds } from "../harness/inputs/jobs-file.ts";
import type { JobsSource } from "../harness/inputs/jobs-schema.ts";
import { sortTests } from "../harness/sort-tests.ts";
import type { SortedTests } from "../harness/sort-tests.ts";
import { countText, listText } from "../reports/words.ts";
import { CommandError } from "./errors.ts";
import { oneLine } from "./progress/one-line.ts";
import { runnerSettings } from "./runner-settings.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import type { GivenTarget } from "./settings/given-target.ts";

/** The settings with jobs made of tests, and what a jobs file would hold of them. */
export interface JobsOfTests {
  readonly settings: ContractCommandSettings;
  readonly source: JobsSource;
}

interface Telling {
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
}

/**
 * Where tests were given in place of a jobs file, runs each once and goes on with the jobs that they turn out to be.
 * What that costs is said first, then what came of each, and what the kinds that are missing would bring.
 * @throws CommandError WRONG_USAGE where none of them can be used; HarnessError where the target cannot be tested
 */
export async function withJobsOfTests(
  settings: ContractCommandSettings,
  target: GivenTarget,
  { signal, write }: Telling,
): Promise<JobsOfTests> {
  const { jobTests } = settings;
  if (jobTests === undefined) return { settings, source: {} };
  write(
    `Runs ${countText(jobTests.length, "test")} once, and a quick one twice, to see what each does.\n`,
  );
  const sorted = await sortTests(runnerSettings(settings, target), jobTests, signal);
  write(sortedText(sorted));
  return {
    settings: { ...settings, jobTests: undefined, jobs: jobsIn(sorted) },
    source: sorted.jobs,
  };
}

function jobsIn({ jobs, tests }: SortedTests): OwnJobKinds {
  const parsed = parseJobs(jobs);
  const isUsable = parsed.ok && Object.keys(jobs).length > 0;
  if (isUsable) return parsed.jobs;
  throw new CommandError("WRONG_USAGE", "none of the tests can serve as a job:", {
    problems: tests.map(({ name, seen }) => oneLine(`${name}: ${seen}`)),
    hint: "Give inputs that your handler takes, or a jobs file (docs/test-my-server.md#jobs-of-your-own).",
  });
}

function sortedText({ jobs, tests }: SortedTests): string {
  const lines = tests.map(({ name, seen, kind }) =>
    oneLine(`  ${name}: ${seen}${kind === undefined ? ", not used" : `: ${kind}`}`),
  );
  const missing = jobKinds.filter((kind) => jobs[kind] === undefined);
  if (missing.length > 0) {
    const brings = missing.map((kind) => `${kind} ${requirementsWith(kind)}`);
    lines.push(
      `  No test is ${listText(missing)}. Requirements that need one: ${listText(brings)}.`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** How many requirements have a check that needs a job of this kind. */
function requirementsWith(kind: JobKind): number {
  const covered = checkSummaries
    .filter(({ needs }) => needs.includes(kind))
    .flatMap(({ covers }) => covers);
  return new Set(covered).size;
}
