import type { Io } from "../io.ts";
import { withJobsOfTests } from "../job-tests.ts";
import { contractSettings } from "../settings/contract.ts";
import { environmentNames } from "../settings/options.ts";
import type { SettingValues } from "../settings/options.ts";
import { usualTestsFile } from "../settings/worker-tests.ts";
import { withTarget } from "../target.ts";
import { asTyped } from "./as-typed.ts";

/** The jobs file that is written. */
export const jobsFileName = "jobs.json";

/**
 * Runs the tests that lie in the working directory on the endpoint that was named, and returns the text of a jobs file,
 * with the durations seen. Undefined where there are none, where jobs were given, or no endpoint was named.
 * @throws CommandError WRONG_USAGE where none can be used; HarnessError where the target cannot be tested
 */
export async function jobsOfTestsHere(chosen: SettingValues, io: Io): Promise<string | undefined> {
  const found = usualTestsFile(io);
  if (found === undefined || chosen.jobs !== undefined) return undefined;
  const hasKey = environmentNames("apiKey").some((name) => (io.environment[name] ?? "") !== "");
  if (chosen.baseUrl === undefined || chosen.endpoint === undefined || !hasKey) {
    const needed = "--base-url, --endpoint and QUEUEPROOF_API_KEY";
    io.write(`${found} is here: with ${needed} its tests become a jobs file.\n`);
    return undefined;
  }
  const { dialect: _, ...rest } = chosen;
  const settings = contractSettings(asTyped({ ...rest, jobs: found }), undefined, io);
  return withTarget(settings, io, async (target, signal) => {
    const { source } = await withJobsOfTests(settings, target, { signal, write: io.write });
    io.write(`Wrote ${jobsFileName}: the jobs that ${found} turned out to hold.\n`);
    return `${JSON.stringify(source, null, 2)}\n`;
  });
}
