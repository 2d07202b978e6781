import type { Discovery } from "./discovery/discovery.ts";
import { keptWorkers } from "./discovery/kept-workers.ts";
import type { ConfiguredDialect } from "./dialects/configured-dialect.ts";
import type { KnownWorkers } from "./inputs/jobs.ts";

/** What a run knows of the workers of a target at any moment. */
export function knownWorkers(discovery: Discovery, dialect: ConfiguredDialect): KnownWorkers {
  return {
    endsByCancel: () => dialect.obstacle("cancel") === undefined && !discovery.knows(keptWorkers),
    startsMs: () => discovery.seenOfJobs.work.startsMs,
  };
}
