import { defaultBudgetMs } from "../../harness/time-budget.ts";
import { runContract } from "../../contracts/run-contract.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import type { WorkLength } from "../../harness/inputs/jobs.ts";
import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import type { RunHooks } from "../../harness/run-events.ts";
import type { JobKind } from "../../openapi/capabilities.ts";
import { specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { withOwnersHandler } from "../../test/owners-handler.ts";
import type { OwnersTimes } from "../../test/owners-handler.ts";
import { slowJobMs } from "../kill-matrix/jobs-needs.ts";
import { jobsOfOwner } from "../kill-matrix/run-on-real-clock.ts";

/** The slow job works longer than any check of the default time budget needs, but for SYNC-05. */
const usualTimes: OwnersTimes = { quickMs: 50, imageMs: [slowJobMs, slowJobMs + 1000] };

interface OwnJobsRun extends RunHooks {
  /** How long the owner's jobs work; absent: the slow one for 16 to 17 s. */
  readonly times?: OwnersTimes;
  /** What the jobs file says of the slow job; absent: how long it works. */
  readonly slowSaid?: WorkLength;
}

/** Jobs files, from the least that owners can say of their handlers to the most. */
export const jobsFiles: readonly (readonly JobKind[])[] = [
  [],
  ["quick"],
  ["quick", "slow"],
  ["quick", "slow", "failing", "known", "streaming"],
];

/** Runs the contract suite on a real clock against a plain server whose workers run an owner's handler. */
export async function runWithKinds(
  kinds: readonly JobKind[],
  { times = usualTimes, slowSaid, ...hooks }: OwnJobsRun = {},
): Promise<readonly RequirementResult[]> {
  const reference = await startReference({
    behaviour: withOwnersHandler(specified, times),
    control: false,
    defaultEndpoint: { clock: "real", workers: 3 },
  });
  const { baseUrl, endpointId, apiKey, foreignKey } = reference;
  try {
    const settings = {
      baseUrl,
      endpointId,
      apiKey,
      foreignKey,
      capabilities: [],
      seed: 1,
      timeBudgetMs: defaultBudgetMs,
      ...(kinds.length > 0 && { jobs: said(jobsOfOwner(times, kinds), slowSaid) }),
    };
    const { results } = await runContract(settings, hooks);
    return results;
  } finally {
    await reference.stop();
  }
}

function said(jobs: OwnJobKinds, length: WorkLength | undefined): OwnJobKinds {
  return jobs.slow === undefined ? jobs : { ...jobs, slow: { ...jobs.slow, ...length } };
}

/** What is wrong with such a run, one line each: no check of it may fail or stay undecided. */
export function problemsOf(results: readonly RequirementResult[]): readonly string[] {
  return results
    .filter(({ verdict }) => verdict === "fail" || verdict === "inconclusive")
    .map(({ name, verdict, reason = "" }) => `${name} ${verdict}: ${reason}`);
}

/** How many requirements have a check that passed. */
export function decidedIn(results: readonly RequirementResult[]): number {
  const passed = results.filter(({ verdict }) => verdict === "pass");
  return new Set(passed.flatMap(({ covers }) => covers)).size;
}
