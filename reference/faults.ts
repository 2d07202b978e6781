import type { RequirementId } from "../openapi/requirements.ts";
import type { Behaviour, BehaviourChange } from "./behaviour.ts";

/** A bug somebody could ship, as data. */
export interface Fault {
  /** `area/what-is-wrong`, unique and kept for ever. */
  readonly name: string;
  /** The requirements that no longer hold; a suite has to find at least one of them. */
  readonly breaks: readonly RequirementId[];
  /** The bug in one sentence. */
  readonly describe: string;
  /**
   * What the bug changes of a behaviour that keeps the specification. It is called anew for each
   * server, so what it remembers in a closure belongs to that server alone.
   */
  readonly change: (behaviour: Behaviour) => BehaviourChange;
}

/** The bugs that `serve --fault` offers, one or two an area; all that the suite is proved by stand in `proof/faults`. */
export const servedFaults: readonly Fault[] = [
  {
    name: "auth/stream-takes-any-key",
    breaks: ["AUTH-02"],
    describe: "stream looks only at whether there is a key.",
    change: ({ authentication: { isSameKey } }) => ({
      authentication: {
        isSameKey: (given, key, operation) =>
          operation === "stream" || isSameKey(given, key, operation),
      },
    }),
  },
  {
    name: "run/ten-megabytes-are-too-many",
    breaks: ["RUNA-02"],
    describe: "run refuses a payload of exactly 10,000,000 bytes.",
    change: ({ submission: { payloadBytesMax } }) => ({
      submission: {
        payloadBytesMax: (operation, isChunked) =>
          operation === "run" ? 9_999_999 : payloadBytesMax(operation, isChunked),
      },
    }),
  },
  {
    name: "run/result-is-gone-early",
    breaks: ["RUNA-04"],
    describe: "The result of a run job is deleted one millisecond before its 30 minutes are over.",
    change: ({ retention: { keptMs } }) => ({
      retention: { keptMs: (job) => (job.submittedBy === "run" ? 1_799_999 : keptMs(job)) },
    }),
  },
  {
    name: "runsync/wait-is-a-little-too-short",
    breaks: ["SYNC-03"],
    describe: "A wait of 999 is accepted.",
    change: ({ submission: { acceptsWait } }) => ({
      submission: { acceptsWait: (text) => text === "999" || acceptsWait(text) },
    }),
  },
  {
    name: "status/ttl-is-ignored",
    breaks: ["STAT-06"],
    describe: "The ttl of status is checked and then forgotten.",
    change: () => ({ operations: { ttlEndsAtMs: () => undefined } }),
  },
  {
    name: "stream/elements-have-no-metrics",
    breaks: ["STRM-01"],
    describe: "An element of the stream has no metrics.",
    change: () => ({ stream: { element: (output) => ({ output }) } }),
  },
  {
    name: "stream/large-text-is-not-split",
    breaks: ["STRM-03"],
    describe: "A chunk may have any size.",
    change: () => ({ stream: { chunkBytesMax: Number.MAX_SAFE_INTEGER } }),
  },
  {
    name: "retry/refusal-is-a-success",
    breaks: ["RETR-05"],
    describe: "A retry that is refused answers 200.",
    change: () => ({ operations: { refusedRetryStatus: 200 } }),
  },
  {
    name: "purge/empties-every-queue",
    breaks: ["PURG-05"],
    describe: "A purge empties the queues of all endpoints.",
    change: () => ({ operations: { purgesOwnJobsAlone: false } }),
  },
  {
    name: "health/retries-are-not-counted",
    breaks: ["HLTH-04"],
    describe: "retried never grows.",
    change: () => ({ operations: { countsRetry: () => false } }),
  },
  {
    name: "webhook/two-attempts",
    breaks: ["HOOK-04"],
    describe: "A failing call is made twice.",
    change: () => ({ webhook: { attemptsMax: () => 2 } }),
  },
];
