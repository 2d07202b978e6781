// How the scripts of scenarios submit jobs, wait for them and judge them.
import { sleep } from "k6";

import { pollUntilValue, call, textIn, wasAccepted } from "./harness.ts";
import type { Polling, TextAnswer } from "./harness.ts";

const finalStates = new Set(["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"]);

/** Submits one job; undefined where it was not accepted. */
export function submit(input: object, more: object = {}): string | undefined {
  return textIn(call("run", { body: { input, ...more } }), "id");
}

/** Submits a job in setup, to be read later. Returns its id; empty where it was not accepted. */
export function submitInSetup(input: object): string {
  return textIn(call("run", { body: { input }, isPrepared: true }), "id") ?? "";
}

const triesMax = 40;
const pauseAfterRefusalMs = 500;

/** Submits one job, again after each 429; undefined where it is not accepted in the end. */
export function submitWithRetries(input: object): string | undefined {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const answer = call("run", { body: { input } });
    if (answer.status !== 429) return textIn(answer, "id");
    sleep(pauseAfterRefusalMs / 1_000);
  }
  return undefined;
}

export function statusOf(job: string): TextAnswer {
  return call("status", { job });
}

export function stateIn(answer: TextAnswer): string | undefined {
  return textIn(answer, "status");
}

export function isFinal(state: string | undefined): boolean {
  return state !== undefined && finalStates.has(state);
}

/** The status answer of a job, read again after each 429; undefined where every read was refused. */
export function statusUnlessRefused(job: string, polling: Polling): TextAnswer | undefined {
  return pollUntilValue(() => {
    const answer = statusOf(job);
    return answer.status === 429 ? undefined : answer;
  }, polling);
}

/**
 * The status answer of a job that has ended; undefined where it does not end in time. A new job's id
 * may take a moment to be readable (docs/specification.md#moments), so a 404 is no end.
 */
export function pollUntilEnd(job: string, polling: Polling): TextAnswer | undefined {
  return pollUntilValue(() => {
    const answer = statusOf(job);
    return wasAccepted(answer) && isFinal(stateIn(answer)) ? answer : undefined;
  }, polling);
}

/** Whether a job has completed with the value that was submitted. */
export function hasOutput(answer: TextAnswer, value: string): boolean {
  return stateIn(answer) === "COMPLETED" && textIn(answer, "output.value") === value;
}
