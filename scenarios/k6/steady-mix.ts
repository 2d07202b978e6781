// Scenario: Does everything pass at half of all limits at once, and how fast?
// Limits: no 429, no 5xx, and at least 99 % of each operation accepted.
// Cost: half of each limit for a minute: some 27,000 requests, 9,000 jobs, 455 requests a second.
import type { Options } from "k6/options";

import { begin, call, optionsOfSettings, ready } from "./harness.ts";
import { prepare, submit } from "./jobs.ts";

export const options: Options = optionsOfSettings();

interface Jobs {
  readonly done: string;
  readonly streamed: string;
}

/** Makes one job to read and one whose stream is read. */
export function setup(): Jobs {
  const jobs = {
    done: prepare({ op: "echo", value: 1 }),
    streamed: prepare({ op: "stream", count: 1, intervalMs: 1 }),
  };
  ready();
  return jobs;
}

const echo = { input: { op: "echo", value: 1 } };

export function run(): void {
  if (!begin()) return;
  call("run", { body: echo });
}

export function runsync(): void {
  if (!begin()) return;
  call("runsync", { body: echo });
}

export function status({ done }: Jobs): void {
  if (!begin()) return;
  call("status", { job: done });
}

export function stream({ streamed }: Jobs): void {
  if (!begin()) return;
  call("stream", { job: streamed });
}

/** Each iteration cancels a job of its own. */
export function cancel(): void {
  if (!begin()) return;
  const job = submit({ op: "sleep", ms: 2_000 });
  if (job !== undefined) call("cancel", { job });
}

export function purge(): void {
  if (!begin()) return;
  call("purge-queue");
}

export function openai(): void {
  if (!begin()) return;
  call("openai", { body: { model: "any", messages: [{ role: "user", content: "hello" }] } });
}

export function requests(): void {
  if (!begin()) return;
  call("requests");
}
