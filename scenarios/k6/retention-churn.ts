// Scenario: While results come and expire all the time, is each kept as long as promised and gone after?
// Limits: no result missing within its retention, none left after it, no 5xx.
// Cost: where the clock can be moved 300 jobs, some 1,300 requests, seconds; else 900 jobs of
//   runsync, some 3,000 requests, six minutes.
import { sleep } from "k6";
import { Counter } from "k6/metrics";

import { iteration, call, control, textIn, valueOf, wasAccepted } from "./harness.ts";
import { pollUntilEnd, quickJob, stateIn, statusUnlessRefused, submitWithRetries } from "./jobs.ts";

export { options, endSetup as setup } from "./harness.ts";

const jobsDone = new Counter("jobs_done");
const readsWithin = new Counter("reads_within");
const readsAfter = new Counter("reads_after");
const resultsMissing = new Counter("results_missing");
const resultsStale = new Counter("results_stale");

interface Result {
  readonly job: string;
  /** When it was done: in ms that the target's clock was moved, or on this machine's clock. */
  readonly doneMs: number;
}

const isMoved = (): boolean => valueOf("virtual") === 1;

let movedMs = 0;

export const makeAndReadResults = iteration(() => {
  const results: Result[] = [];
  for (let round = 0; round < valueOf("rounds"); round += 1) {
    for (let index = 0; index < valueOf("jobs"); index += 1) {
      const job = isMoved() ? completeByRun() : completeByRunsync();
      if (job === undefined) continue;
      jobsDone.add(1);
      results.push({ job, doneMs: nowMs() });
    }
    letTimePass();
    for (const result of results) readResult(result);
  }
});

function nowMs(): number {
  return isMoved() ? movedMs : Date.now();
}

function letTimePass(): void {
  const ms = valueOf("stepMs");
  if (!isMoved()) {
    sleep(ms / 1_000);
    return;
  }
  control("POST", "/clock/advance", { ms });
  movedMs += ms;
}

function completeByRun(): string | undefined {
  const job = submitWithRetries(quickJob().input);
  if (job === undefined) return undefined;
  return pollUntilEnd(job, { everyMs: 50, longestMs: 10_000 }) === undefined ? undefined : job;
}

function completeByRunsync(): string | undefined {
  const answer = call("runsync", { body: { input: quickJob().input } });
  return textIn(answer, "status") === "COMPLETED" ? textIn(answer, "id") : undefined;
}

/** Reads a result and judges whether it is there. Between keptMs and goneMs it may be there or not. */
function readResult({ job, doneMs }: Result): void {
  const before = nowMs() - doneMs;
  if (before > valueOf("keptMs") && before < valueOf("goneMs")) return;
  const answer = statusUnlessRefused(job, { everyMs: 200, longestMs: 20_000 });
  if (answer === undefined) return;
  const after = nowMs() - doneMs;
  if (after <= valueOf("keptMs")) {
    readsWithin.add(1);
    if (stateIn(answer) !== "COMPLETED") resultsMissing.add(1);
  } else if (before >= valueOf("goneMs")) {
    readsAfter.add(1);
    if (wasAccepted(answer)) resultsStale.add(1);
  }
}
