import type { OfferedMix } from "../../scenarios/scenario.ts";
import { objectiveName } from "../objectives/objectives-file.ts";
import type { Objective } from "../objectives/objectives-file.ts";
import { defaultMix } from "../open-loop/mix.ts";
import type { Mix } from "../open-loop/mix.ts";

/** A mix and its objectives, as k6's scenario takes them. */
export function offeredMixOf({
  mix = defaultMix,
  objectives,
}: {
  readonly mix?: Mix | undefined;
  readonly objectives: readonly Objective[];
}): OfferedMix {
  const promises = objectives.map((each) => ({ name: objectiveName(each), ...each }));
  return { arrival: mix.arrival, perSecond: mix.operations, jobs: mix.jobs, promises };
}
