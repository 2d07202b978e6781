// Scenario: How fast does status recover from a spike of three times its limit?
// Limits: some of the spike refused, by 429 and nothing else; at half the limit nothing is refused
//   before it, nor after two windows have passed since its end.
// Cost: a minute: some 11,000 requests, one job, 600 requests a second for 10 s.
import exec from "k6/execution";
import { Trend } from "k6/metrics";

import { iteration, call, endSetup } from "./harness.ts";
import { quickJob, submitInSetup } from "./jobs.ts";

export { options } from "./harness.ts";

const refusedAfterSpike = new Trend("refused_after_spike", true);

export function setup(): string {
  const job = submitInSetup(quickJob().input);
  endSetup();
  return job;
}

/** Refusals after the spike are timed from its end, which is the start of the phase `after`. */
export const read = iteration((job: string) => {
  const sentMs = Date.now();
  const { status } = call("status", { job });
  const { name, startTime } = exec.scenario;
  if (name === "after" && status === 429) refusedAfterSpike.add(sentMs - startTime);
});
