// Scenario: Does every completed job call its webhook once, when many complete at once, and how soon?
// Limits: no call lost, none made twice though each was answered 200, each with the record of a
//   completed job.
// Cost: 20 s: 1,000 jobs, as many requests and calls, 50 a second.
import exec from "k6/execution";
import { Counter } from "k6/metrics";

import { iteration, settings } from "./harness.ts";
import { submit } from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const jobsAccepted = new Counter("jobs_accepted");

/** The path of the webhook tells the receiver which job calls, and when it was submitted, for the delay. */
export const submitWithWebhook = iteration(() => {
  const { iterationInTest } = exec.scenario;
  const webhook = `${settings.webhookUrl ?? ""}/${iterationInTest}/${Date.now()}`;
  if (submit({ op: "echo", value: 1 }, { webhook }) !== undefined) jobsAccepted.add(1);
});
