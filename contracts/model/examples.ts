import type { Step } from "./steps.ts";

const fail: Step = { do: "submit", work: { op: "fail" }, policy: {} };
const sleep: Step = { do: "submit", work: { op: "sleep", ms: 9300 }, policy: {} };
const shortTimeout: Step = { ...sleep, policy: { executionTimeout: 5000 } };
const sixSeconds: Step = { do: "advance", ms: 6007 };
const noWorkers: Step = { do: "set workers", count: 0 };
const twoWorkers: Step = { do: "set workers", count: 2 };

function onFirst(operation: "cancel" | "retry" | "stream"): Step {
  return { do: operation, job: 0 };
}

/**
 * Sequences that are tried before any random one: few steps, each right by itself, that only go wrong together. A
 * handful of random ones would meet them by luck alone.
 */
export const exampleSequences: readonly (readonly Step[])[] = [
  // A retried job waits again: it can be cancelled, purged and worked on as one that never ran.
  [fail, noWorkers, onFirst("retry"), onFirst("cancel"), twoWorkers],
  [fail, noWorkers, onFirst("retry"), { do: "purge" }, twoWorkers],
  [shortTimeout, sleep, sixSeconds, onFirst("retry"), sixSeconds, sixSeconds],
  // A worker that lost its job takes the next one, and what it did counts nowhere.
  [sleep, sleep, onFirst("cancel"), sixSeconds, onFirst("cancel"), { do: "advance", ms: 15_007 }],
];
