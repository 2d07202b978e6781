import type { Discovery } from "./discovery/discovery.ts";
import { keptWorkers } from "./discovery/kept-workers.ts";
import type { ConfiguredDialect } from "./dialects/configured-dialect.ts";
import { pollWaitMs } from "./discovery/slow-starts.ts";
import type { TargetWaits } from "./endpoint/shared-endpoints.ts";
import type { KnownWorkers } from "./inputs/jobs.ts";
import type { Target } from "./target.ts";

/** What a run knows of the workers of a target at any moment. */
export function knownWorkers(discovery: Discovery, dialect: ConfiguredDialect): KnownWorkers {
  return {
    endsByCancel: () => dialect.obstacle("cancel") === undefined && !discovery.knows(keptWorkers),
    startsMs: () => discovery.seenOfJobs.work.startsMs,
  };
}

/** For how long a target keeps a check waiting, by all that a run knows at any moment. */
export function targetWaits({
  target,
  discovery,
}: {
  readonly target: Target;
  readonly discovery: Discovery;
}): TargetWaits {
  const { answerMs = 0 } = target.discovery ?? {};
  return { answerMs, startMs: pollWaitMs(discovery.seenOfJobs.work) };
}
