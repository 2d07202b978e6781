import type { Scenario } from "./scenario.ts";
import { cancelStorm } from "./data/cancel-storm.ts";
import { climb } from "./data/climb.ts";
import { deepQueue } from "./data/deep-queue.ts";
import { retentionChurn } from "./data/retention-churn.ts";
import { soak } from "./data/soak.ts";
import { spike } from "./data/spike.ts";
import { mixByK6 } from "./data/mix-k6.ts";
import { steadyMix } from "./data/steady-mix.ts";
import { streamReaders } from "./data/stream-readers.ts";
import { webhookStorm } from "./data/webhook-storm.ts";
import { wholeJobs } from "./data/whole-jobs.ts";

/** The scenarios of k6's scripts, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  steadyMix,
  climb,
  spike,
  soak,
  wholeJobs,
  streamReaders,
  webhookStorm,
  cancelStorm,
  deepQueue,
  retentionChurn,
  mixByK6,
];
