// Scenario: Are your objectives about answers kept under your mix of operations, sent by k6?
// Limits: each objective of an answer's time or of errors; without one of errors no 5xx.
// Cost: the mix's rates for 30 s; by default some 850 requests, 400 jobs.

import { Counter, Trend } from "k6/metrics";

import type { OperationName } from "../../openapi/operations.ts";
import { call, endSetup, iteration, latenessMs, settings, textIn } from "./harness.ts";
import type { Call, TextAnswer } from "./harness.ts";
import { quickJob, slowInput, streamingInput, submitInSetup } from "./jobs.ts";

export { options } from "./harness.ts";

const sincePlanned = new Trend("since_planned", true);
const errors = new Counter("request_errors");

/** Nobody waits longer for an answer that does not come. */
const neverMs = 86_400_000;
const longJobMs = 60_000;

interface Jobs {
  readonly done: string;
  readonly streamed: string;
  readonly failed: string;
}

function does(name: string): boolean {
  return settings.phases.some((phase) => phase.does === name);
}

/** Makes a job to read, one whose stream is read and one that is retried. */
export function setup(): Jobs {
  const jobs = {
    done: submitInSetup(quickJob().input),
    streamed: does("stream") ? submitInSetup(streamingInput(3, 50)) : "",
    failed: does("retry") ? submitInSetup(failingInput) : "",
  };
  endSetup();
  return jobs;
}

const failingInput = { op: "fail", message: "on purpose" };

/** Sends a request whose answer counts from a moment: its planned one, where nothing else is said. */
function send(operation: OperationName, how: Call = {}, lateMs = latenessMs()): TextAnswer {
  const answer = call(operation, how);
  const tags = { op: operation };
  sincePlanned.add(answer.status === 0 ? neverMs : lateMs + answer.timings.duration, tags);
  if (isError(operation, answer.status)) errors.add(1, tags);
  return answer;
}

/** A cancel or a retry may come too late for its job. */
function isError(operation: OperationName, status: number): boolean {
  if (status === 0 || status >= 500 || status === 429) return true;
  return status >= 400 && operation !== "cancel" && operation !== "retry";
}

const kinds: Readonly<Record<string, () => object>> = {
  quick: () => quickJob().input,
  slow: () => slowInput(5_000),
  failing: () => (settings.own === undefined ? failingInput : quickJob().input),
  streaming: () => streamingInput(5, 50),
};

/** The input of a job, of a kind by the proportions of the mix. */
function nextInput(): object {
  const parts = Object.keys(kinds).map(
    (kind) => [kind, settings.values[`jobs ${kind}`] ?? 0] as const,
  );
  let left = Math.random() * parts.reduce((sum, [, part]) => sum + part, 0);
  for (const [kind, part] of parts) {
    left -= part;
    if (left < 0) return kinds[kind]?.() ?? quickJob().input;
  }
  return quickJob().input;
}

export const run = iteration(() => send("run", { body: { input: nextInput() } }));
export const runsync = iteration(() => send("runsync", { body: { input: nextInput() } }));
export const status = iteration(({ done }: Jobs) => send("status", { job: done }));
export const stream = iteration(({ streamed }: Jobs) => send("stream", { job: streamed }));
export const retry = iteration(({ failed }: Jobs) => send("retry", { job: failed }));
export const health = iteration(() => send("health"));

/** Each iteration cancels a job of its own as soon as it is accepted: from then on the cancel is due. */
export const cancel = iteration(() => {
  const job = textIn(send("run", { body: { input: slowInput(longJobMs) } }), "id");
  if (job !== undefined) send("cancel", { job }, 0);
});
