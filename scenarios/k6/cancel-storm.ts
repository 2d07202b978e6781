// Scenario: When twice the limit is cancelled at once, does each cancel do exactly what it answered?
// Limits: every accepted cancel leaves its job CANCELLED, every refused one leaves its job alone, and
//   with retries all are cancelled in the end; no 5xx.
// Cost: 210 jobs, some 1,260 requests, 210 of them at once; about a minute.
import { sleep } from "k6";
import { Counter } from "k6/metrics";

import { iteration, call, settings, sleepUntil, valueOf, wasAccepted } from "./harness.ts";
import { isFinal, slowInput, stateIn, statusOf, submitWithRetries } from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const jobsAccepted = new Counter("jobs_accepted");
const stormCancels = new Counter("storm_cancels");
const stormUnfinished = new Counter("storm_unfinished");
const stormAccepted = new Counter("storm_accepted");
const cancelsWithoutEffect = new Counter("cancels_without_effect");
const refusalsWithEffect = new Counter("refusals_with_effect");
const leftUncancelled = new Counter("left_uncancelled");

export const storm = iteration(() => {
  const jobs = submitJobs();
  sleepUntil(valueOf("stormAtMs"));
  const answers = jobs.map((job) => ({ job, answer: call("cancel", { job }) }));
  const accepted = answers.filter(({ answer }) => wasAccepted(answer));
  const refused = answers.filter(({ answer }) => answer.status === 429);
  stormUnfinished.add(accepted.length + refused.length);
  stormCancels.add(answers.length);
  stormAccepted.add(accepted.length);
  for (const { job } of accepted) if (stateOf(job) !== "CANCELLED") cancelsWithoutEffect.add(1);
  for (const { job } of refused) if (stateOf(job) === "CANCELLED") refusalsWithEffect.add(1);
  cancelWithRetries(refused.map(({ job }) => job));
});

function submitJobs(): readonly string[] {
  const jobs: string[] = [];
  for (let index = 0; index < valueOf("each"); index += 1) {
    const job = submitWithRetries(slowInput(600_000));
    if (job === undefined) break;
    jobs.push(job);
    jobsAccepted.add(1);
    sleep(valueOf("paceMs") / 1_000);
  }
  return jobs;
}

/** Pauses before the read, so that all users together stay below the limit of status. */
function stateOf(job: string): string | undefined {
  sleep(0.1);
  return stateIn(statusOf(job));
}

/** Jobs of the conformance handler work for longer than the scenario takes; others may end meanwhile. */
function hasEndedByItself(job: string): boolean {
  return settings.own !== undefined && isFinal(stateOf(job));
}

/** Tries refused cancels again, with a pause that grows up to a window. */
function cancelWithRetries(jobs: readonly string[]): void {
  const endMs = Date.now() + valueOf("retryForMs");
  let pauseMs = valueOf("windowMs") / 8;
  let left = jobs;
  while (left.length > 0 && Date.now() < endMs) {
    sleep((pauseMs * (0.5 + Math.random())) / 1_000);
    pauseMs = Math.min(valueOf("windowMs"), pauseMs * 2);
    left = left.filter((job) => !wasAccepted(call("cancel", { job })) && !hasEndedByItself(job));
  }
  leftUncancelled.add(left.length);
}
