import { onJob, setWorkers } from "./steps.ts";
import type { JobStep, Step } from "./steps.ts";

const fail: Step = { do: "submit", work: { op: "fail" }, policy: {} };
const sleep: Step = { do: "submit", work: { op: "sleep", ms: 9300 }, policy: {} };
const shortTimeout: Step = { ...sleep, policy: { executionTimeout: 5000 } };
const sixSeconds: Step = { do: "advance", ms: 6007 };
const noWorkers = setWorkers(0);
const twoWorkers = setWorkers(2);

const onFirst = (operation: JobStep["do"]): Step => onJob(operation)(0);

/**
 * Sequences that are tried before the random ones. They find faults that only a combination of steps shows, which a
 * few random sequences would meet only by luck.
 */
export const exampleSequences: readonly (readonly Step[])[] = [
  // A retried job waits again: it can be cancelled, purged and processed like a job that never ran.
  [fail, noWorkers, onFirst("retry"), onFirst("cancel"), twoWorkers],
  [fail, noWorkers, onFirst("retry"), { do: "purge" }, twoWorkers],
  [shortTimeout, sleep, sixSeconds, onFirst("retry"), sixSeconds, sixSeconds],
  // A worker whose job was cancelled takes the next job, and the cancelled work counts nowhere.
  [sleep, sleep, onFirst("cancel"), sixSeconds, onFirst("cancel"), { do: "advance", ms: 15_007 }],
];
