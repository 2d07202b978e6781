// How the scripts of scenarios submit jobs, wait for them and judge them.
import { sleep } from "k6";
import { Counter } from "k6/metrics";

import { valueAt } from "../../openapi/departures.ts";
import { bodyOf, pollUntilValue, call, settings, textIn, wasAccepted } from "./harness.ts";
import type { Polling, TextAnswer } from "./harness.ts";
import { isSameJson } from "../../openapi/same-json.ts";

const finalStates = new Set(["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"]);

/** Submits one job; undefined where it was not accepted. */
export function submit(input: object, more: object = {}): string | undefined {
  return textIn(call("run", { body: { input, ...more } }), "id");
}

/** Submits a job in setup, to be read later. Returns its id; empty where it was not accepted. */
export function submitInSetup(input: object): string {
  return textIn(call("run", { body: { input }, isPrepared: true }), "id") ?? "";
}

/** Jobs of the owner's that did not complete in time. */
export const ownJobsUndone = new Counter("own_jobs_undone");

/** What became of a job: `undone` is one of the owner's that did not complete in time, which is nobody's fault. */
export type Outcome = "done" | "lost" | "wrong" | "undone";

/** A job that ends soon. */
export interface QuickJob {
  readonly input: object;
  /** Tells what became of it. `end`: its record; undefined where it did not end in time. */
  readonly outcomeOf: (end: TextAnswer | undefined) => Outcome;
}

let ownJobsMade = 0;

/** A job of its own that ends soon: one of the owner's, or one of the conformance handler that works for so long. */
export function quickJob(ms = 0): QuickJob {
  const own = settings.own?.quick;
  if (own === undefined) return handlerJob(ms);
  const { input, output } = own[ownJobsMade % own.length] ?? { input: {} };
  ownJobsMade += 1;
  return {
    input,
    outcomeOf: (end) => {
      if (end === undefined || stateIn(end) !== "COMPLETED") {
        ownJobsUndone.add(1);
        return "undone";
      }
      const isOwn = output === undefined || isSameJson(valueAt(bodyOf(end), "output"), output);
      return isOwn ? "done" : "wrong";
    },
  };
}

function handlerJob(ms: number): QuickJob {
  const value = `job ${Math.random()}`;
  return {
    input: ms === 0 ? { op: "echo", value } : { op: "sleep", ms, value },
    outcomeOf: (end) => {
      if (end === undefined) return "lost";
      return hasOutput(end, value) ? "done" : "wrong";
    },
  };
}

/** The input of a job that keeps a worker busy: one of the owner's, or one of the conformance handler. */
export function slowInput(ms: number): object {
  return settings.own?.slow ?? { op: "sleep", ms };
}

/** The input of a job that yields chunks: one of the owner's, or one of the conformance handler. */
export function streamingInput(count: number, intervalMs: number): object {
  const { own } = settings;
  if (own === undefined) return { op: "stream", count, intervalMs };
  return own.streaming ?? quickJob().input;
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
function hasOutput(answer: TextAnswer, value: string): boolean {
  return stateIn(answer) === "COMPLETED" && textIn(answer, "output.value") === value;
}
