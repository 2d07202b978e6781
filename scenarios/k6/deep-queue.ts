// Scenario: Do few workers drain a queue of 10,000 jobs, and is each job still there afterwards?
// Limits: every accepted job COMPLETED in the end, none lost, no 5xx; health counts what waits.
// Cost: 10,000 jobs of 20 ms, some 20,000 requests at a tenth below the limits; about four minutes.
import exec from "k6/execution";
import { Counter, Trend } from "k6/metrics";

import { valueAt } from "../../openapi/departures.ts";
import {
  bodyOf,
  pollUntilValue,
  iteration,
  call,
  control,
  sleepUntil,
  valueOf,
} from "./harness.ts";
import { stateIn, statusUnlessRefused, submitWithRetries } from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const jobsAccepted = new Counter("jobs_accepted");
const jobsLost = new Counter("jobs_lost");
const queueDepth = new Trend("queue_depth");
const drainedAfter = new Trend("drained_after", true);

/** All users fill the queue together. The first of them starts the workers, and each checks its own jobs. */
export const fill = iteration(() => {
  const jobs = submitJobs();
  sleepUntil(valueOf("submitMs") + 2_000);
  const waiting = waitingJobs();
  if (waiting !== undefined) queueDepth.add(waiting);
  sleepUntil(valueOf("submitMs") + 4_000);
  const startedMs = Date.now();
  if (exec.vu.idInTest === 1) control("PUT", "/workers", { count: valueOf("workers") });
  const longestMs = valueOf("drainLimitMs");
  const empty = pollUntilValue(() => (waitingJobs() === 0 ? true : undefined), {
    everyMs: 500,
    longestMs,
  });
  if (empty === true) drainedAfter.add(Date.now() - startedMs);
  const emptyMs = Date.now() - exec.scenario.startTime;
  for (const [index, job] of jobs.entries()) {
    sleepUntil(emptyMs + (index * valueOf("readMs")) / valueOf("each"));
    if (!isCompleted(job)) jobsLost.add(1);
  }
});

function submitJobs(): readonly string[] {
  const each = valueOf("each");
  const jobs: string[] = [];
  for (let index = 0; index < each; index += 1) {
    const job = submitWithRetries({ op: "sleep", ms: valueOf("workMs") });
    if (job !== undefined) {
      jobs.push(job);
      jobsAccepted.add(1);
    }
    sleepUntil(((index + 1) * valueOf("submitMs")) / each);
  }
  return jobs;
}

/** How many jobs wait or are in progress, as health counts them. */
function waitingJobs(): number | undefined {
  const answer = call("health");
  const body = bodyOf(answer);
  const waiting = valueAt(body, "jobs.inQueue");
  const working = valueAt(body, "jobs.inProgress");
  if (typeof waiting !== "number" || typeof working !== "number") return undefined;
  return waiting + working;
}

function isCompleted(job: string): boolean {
  const answer = statusUnlessRefused(job, { everyMs: 500, longestMs: 30_000 });
  return answer !== undefined && stateIn(answer) === "COMPLETED";
}
