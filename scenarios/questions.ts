import type { Question } from "./question.ts";
import { cancelStorm } from "./questions/cancel-storm.ts";
import { climb } from "./questions/climb.ts";
import { deepQueue } from "./questions/deep-queue.ts";
import { retentionChurn } from "./questions/retention-churn.ts";
import { soak } from "./questions/soak.ts";
import { spike } from "./questions/spike.ts";
import { steadyMix } from "./questions/steady-mix.ts";
import { streamReaders } from "./questions/stream-readers.ts";
import { webhookStorm } from "./questions/webhook-storm.ts";
import { wholeJobs } from "./questions/whole-jobs.ts";

/** What a team asks before a release, in the order in which it is asked. */
export const questions: readonly Question[] = [
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
];
