// Scenario: Does the target stay as fast and as small as it was, hour after hour?
// Limits: no job lost; the median answer of the last quarter at most twice that of the first and
//   5 ms; where its memory can be seen, it grows by no more than 64 MB and 20 KB for each job kept.
// Cost: ten minutes unless told otherwise: 12,000 jobs, some 36,000 requests, 60 a second.
import { Counter } from "k6/metrics";

import { iteration, valueOf } from "./harness.ts";
import { pollUntilEnd, quickJob, submit } from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const jobsAccepted = new Counter("jobs_accepted");
const jobsLost = new Counter("jobs_lost");

export const work = iteration(() => {
  const { input, outcomeOf } = quickJob();
  const job = submit(input);
  if (job === undefined) return;
  jobsAccepted.add(1);
  const end = pollUntilEnd(job, { everyMs: 200, longestMs: valueOf("jobLimitMs") });
  const outcome = outcomeOf(end);
  if (outcome === "lost" || outcome === "wrong") jobsLost.add(1);
});
