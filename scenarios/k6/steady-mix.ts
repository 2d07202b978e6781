// Scenario: Does everything pass at half of all limits at once, and how fast?
// Limits: no 429, no 5xx, and at least 99 % of each operation accepted.
// Cost: half of each limit for a minute: some 27,000 requests, 9,000 jobs, 455 requests a second.

import { iteration, call, endSetup, settings } from "./harness.ts";
import { quickJob, slowInput, streamingInput, submitInSetup, submit } from "./jobs.ts";

export { options } from "./harness.ts";

interface Jobs {
  readonly done: string;
  readonly streamed: string;
}

/** Makes one job to read and one whose stream is read. */
export function setup(): Jobs {
  const jobs = {
    done: submitInSetup(quickJob().input),
    streamed: isStreamed() ? submitInSetup(streamingInput(1, 1)) : "",
  };
  endSetup();
  return jobs;
}

/** A jobs file may name no job of that kind: then no stream is read. */
function isStreamed(): boolean {
  return settings.phases.some(({ does }) => does === "stream");
}

const quick = { input: quickJob().input };

export const run = iteration(() => call("run", { body: quick }));
export const runsync = iteration(() => call("runsync", { body: quick }));
export const status = iteration(({ done }: Jobs) => call("status", { job: done }));
export const stream = iteration(({ streamed }: Jobs) => call("stream", { job: streamed }));

/** Each iteration cancels a job of its own. */
export const cancel = iteration(() => {
  const job = submit(slowInput(2_000));
  if (job !== undefined) call("cancel", { job });
});

export const purge = iteration(() => call("purge-queue"));
export const openai = iteration(() =>
  call("openai", { body: { model: "any", messages: [{ role: "user", content: "hello" }] } }),
);

export const requests = iteration(() => call("requests"));
