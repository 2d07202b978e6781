// Scenario: Does every completed job call its webhook once, when many complete at once, and how soon?
// Limits: no call lost, none made twice though each was answered 200, each with the record of a
//   completed job.
// Cost: 20 s: 1,000 jobs, as many requests and calls, 50 a second.
import exec from "k6/execution";
import { Counter } from "k6/metrics";

import { iteration, settings, valueOf } from "./harness.ts";
import { pollUntilEnd, quickJob, submit } from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const jobsAccepted = new Counter("jobs_accepted");

/** The path of the webhook tells the receiver which job calls, and when it was submitted, for the delay. */
export const submitWithWebhook = iteration(() => {
  const { iterationInTest } = exec.scenario;
  const webhook = `${settings.webhookUrl ?? ""}/${iterationInTest}/${Date.now()}`;
  const { input, outcomeOf } = quickJob();
  const job = submit(input, { webhook });
  if (job === undefined) return;
  jobsAccepted.add(1);
  // Only of a job that is known to have completed is it known that its call is due.
  if (settings.own !== undefined) {
    outcomeOf(pollUntilEnd(job, { everyMs: 500, longestMs: valueOf("jobLimitMs") }));
  }
});
