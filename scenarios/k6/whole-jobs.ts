// Scenario: Does every job come back with its own result, and how long does each stage take?
// Limits: no job lost, no result of another job, nothing refused at a quarter of the limit, no 5xx.
// Cost: half a minute: 750 jobs of 50 ms or of your own, some 3,700 requests, 125 a second.
import { Counter, Trend } from "k6/metrics";

import { pollUntilValue, iteration, valueOf, wasAccepted } from "./harness.ts";
import type { TextAnswer } from "./harness.ts";
import { isFinal, quickJob, stateIn, statusOf, submit } from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const jobsAccepted = new Counter("jobs_accepted");
const jobsLost = new Counter("jobs_lost");
const resultsWrong = new Counter("results_wrong");
const timeToFirstStatus = new Trend("time_to_first_status", true);
const timeInQueue = new Trend("time_in_queue", true);
const timeToResult = new Trend("time_to_result", true);

export const runWholeJob = iteration(() => {
  const { input, outcomeOf } = quickJob(valueOf("workMs"));
  const sentMs = Date.now();
  const job = submit(input);
  if (job === undefined) return;
  jobsAccepted.add(1);
  const outcome = outcomeOf(pollStagesUntilEnd(job, sentMs));
  if (outcome === "lost") jobsLost.add(1);
  if (outcome === "wrong") resultsWrong.add(1);
  if (outcome === "done" || outcome === "wrong") timeToResult.add(Date.now() - sentMs);
});

/** Reads a job's status until it has ended, and notes when each stage was seen first. */
function pollStagesUntilEnd(job: string, sentMs: number): TextAnswer | undefined {
  let isReadable = false;
  let hasLeftQueue = false;
  return pollUntilValue(
    () => {
      const answer = statusOf(job);
      if (!wasAccepted(answer)) return undefined;
      const state = stateIn(answer);
      if (!isReadable) timeToFirstStatus.add(Date.now() - sentMs);
      isReadable = true;
      if (!hasLeftQueue && state !== "IN_QUEUE") {
        hasLeftQueue = true;
        timeInQueue.add(Date.now() - sentMs);
      }
      return isFinal(state) ? answer : undefined;
    },
    { everyMs: 50, longestMs: valueOf("jobLimitMs") },
  );
}
