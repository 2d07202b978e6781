// Scenario: Does every job come back with its own result, and how long does each stage take?
// Limits: no job lost, no result of another job, nothing refused at a quarter of the limit, no 5xx.
// Cost: half a minute: 750 jobs of 50 ms, some 3,700 requests, 125 a second.
import { Counter, Trend } from "k6/metrics";

import { pollUntilValue, iteration, valueOf, wasAccepted } from "./harness.ts";
import type { TextAnswer } from "./harness.ts";
import { hasOutput, isFinal, stateIn, statusOf, submit } from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const jobsAccepted = new Counter("jobs_accepted");
const jobsLost = new Counter("jobs_lost");
const resultsWrong = new Counter("results_wrong");
const timeToFirstStatus = new Trend("time_to_first_status", true);
const timeInQueue = new Trend("time_in_queue", true);
const timeToResult = new Trend("time_to_result", true);

export const runWholeJob = iteration(() => {
  const value = `job ${Math.random()}`;
  const sentMs = Date.now();
  const job = submit({ op: "sleep", ms: valueOf("workMs"), value });
  if (job === undefined) return;
  jobsAccepted.add(1);
  const end = pollStagesUntilEnd(job, sentMs);
  if (end === undefined) {
    jobsLost.add(1);
    return;
  }
  timeToResult.add(Date.now() - sentMs);
  if (!hasOutput(end, value)) resultsWrong.add(1);
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
