import type { Objective } from "../objectives/objectives-file.ts";
import type { OpenLoopScenario } from "./scenario.ts";
import { mixFindings, unmeasured } from "./mix-finding.ts";
import { mixCost, runMix } from "../open-loop/run-mix.ts";
import type { MixOptions } from "../open-loop/run-mix.ts";

/** Sends the mix, and judges every objective by it. */
export const mixScenario: OpenLoopScenario = {
  name: "mix",
  entry: "load/mix",
  question: "Are your objectives kept under your mix of operations?",
  cost: (size) => mixCost({ ...size, watches: watchesFor(size.objectives) }),
  run: async (options) => {
    const { objectives } = options;
    const outcome = await runMix({ ...options, watches: watchesFor(objectives) });
    return mixFindings(mixScenario, outcome, objectives);
  },
  others: ({ objectives }, reason) => objectives.map((each) => unmeasured(each, reason)),
};

/** What has to be watched of jobs for objectives. */
function watchesFor(objectives: readonly Objective[]): MixOptions["watches"] {
  return {
    ends: objectives.some(({ measure }) => measure === "queueDelay" || measure === "completion"),
    chunks: objectives.some(({ measure }) => measure === "firstChunk"),
  };
}
