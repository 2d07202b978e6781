import type { JobStatus } from "../../openapi/schemas.ts";

/** The words that others have for the states, and the states themselves, which may come in other letters. */
const synonyms: Readonly<Record<string, JobStatus>> = {
  IN_QUEUE: "IN_QUEUE",
  IN_PROGRESS: "IN_PROGRESS",
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  TIMED_OUT: "TIMED_OUT",
  CANCELLED: "CANCELLED",
  QUEUED: "IN_QUEUE",
  PENDING: "IN_QUEUE",
  WAITING: "IN_QUEUE",
  SUBMITTED: "IN_QUEUE",
  RUNNING: "IN_PROGRESS",
  PROCESSING: "IN_PROGRESS",
  STARTED: "IN_PROGRESS",
  SUCCESS: "COMPLETED",
  SUCCEEDED: "COMPLETED",
  DONE: "COMPLETED",
  FINISHED: "COMPLETED",
  COMPLETE: "COMPLETED",
  ERROR: "FAILED",
  CANCELED: "CANCELLED",
  TIMEOUT: "TIMED_OUT",
};

/** The state that a word means: in other letters, or one that others use. */
export function stateOf(word: string): JobStatus | undefined {
  if (Object.hasOwn(synonyms, word)) return synonyms[word];
  const usual = word
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .replaceAll(/[ -]/g, "_");
  return synonyms[usual];
}
