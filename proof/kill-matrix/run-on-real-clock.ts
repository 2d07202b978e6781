import { defaultBudgetMs } from "../../harness/time-budget.ts";
import { runContract } from "../../contracts/run-contract.ts";
import { parseJobs } from "../../harness/inputs/jobs-file.ts";
import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import { jobKinds } from "../../openapi/capabilities.ts";
import type { JobKind } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Behaviour } from "../../reference/behaviour.ts";
import { startDelayingProxy } from "../../test/delaying-proxy.ts";
import { ownersJobs, withOwnersHandler } from "../../test/owners-handler.ts";
import type { OwnersTimes } from "../../test/owners-handler.ts";
import type { Handler } from "./suite-job.ts";

/** The number of workers of `serve --real`. */
const workers = 3;
const ownersTimes = { quickMs: 50, imageMs: [8000, 9000] } as const;

/** The jobs of that handler's owner, of these kinds, as the suite takes them. */
export function jobsOfOwner(times: OwnersTimes, kinds: readonly JobKind[] = jobKinds): OwnJobKinds {
  const all = ownersJobs(times);
  const parsed = parseJobs(Object.fromEntries(kinds.map((kind) => [kind, all[kind]])));
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  return parsed.jobs;
}

interface PlainServer {
  readonly handler: Handler;
  /** Absent: as the specification says. */
  readonly behaviour?: Behaviour;
  /** The latency of the way to it and back; absent: 0. */
  readonly latencyMs?: number;
  /** Absent: every requirement. */
  readonly only?: readonly RequirementId[];
}

/** Runs the contract suite in its default budget against what `serve --real --no-control` starts. */
export async function runOnRealClock({
  handler,
  behaviour = specified,
  latencyMs = 0,
  only,
}: PlainServer): Promise<readonly RequirementResult[]> {
  const isOwners = handler === "owners";
  const apiKey = "the-key-of-this-server";
  const reference = await startReference({
    behaviour: isOwners ? withOwnersHandler(behaviour, ownersTimes) : behaviour,
    endpoints: [{ id: "e", apiKey, workers, clock: "real" }],
    control: false,
  });
  const proxy = latencyMs > 0 ? await startDelayingProxy(reference.baseUrl, latencyMs) : undefined;
  try {
    const { results } = await runContract({
      baseUrl: proxy?.baseUrl ?? reference.baseUrl,
      endpointId: "e",
      apiKey,
      capabilities: isOwners ? [] : ["handler", "openai", "requests"],
      ...(isOwners && { jobs: jobsOfOwner(ownersTimes) }),
      ...(only !== undefined && { only }),
      seed: 1,
      timeBudgetMs: defaultBudgetMs,
    });
    return results;
  } finally {
    await proxy?.stop();
    await reference.stop();
  }
}
