import {
  bearerAlone,
  blockingCancel,
  dyingWorkers,
  inputFirst,
  lacking,
  lateIds,
  otherHealth,
  refusing422,
  slowCancel,
  withoutKey,
  withoutV2,
  withoutWebhooks,
} from "./departures.ts";
import type { Departure } from "./departures.ts";
import {
  enveloped,
  errorsInSuccesses,
  forbidding,
  cancelByDelete,
  streamInObject,
  streamOfEvents,
  failingAtUnknown,
  recordOfUnknown,
  nullMembers,
  outputsInText,
  failingCancel,
  failingRetry,
  idleCancel,
  stillHealth,
  outputAlone,
  waitOverAsError,
  bodiesNeeded,
  forbiddingNone,
  bareAnswers,
  timesInSeconds,
  openHealth,
  otherMembers,
  otherStates,
  statusByPost,
  neverInProgress,
  errorsCompleted,
  withoutTimes,
  resultsOnce,
  cancelledGone,
  runHeld,
  runsyncAtOnce,
  withoutQueue,
  silentRetry,
} from "./other-forms.ts";
import {
  completedElsewhere,
  emptyStreams,
  failedWithError,
  markedBodies,
} from "./other-answers.ts";

/** The key of the endpoint of every stranger. */
export const apiKey = "key-of-the-endpoint";

/** One way in which a server departs, and what a run learns of it. */
export interface StrangerKind {
  /** In the order in which they are put before the server, the outermost first. */
  readonly what: string;
  readonly departure: () => Departure;
  readonly causes: readonly string[];
  /** A kind that cannot be had together with it. */
  readonly without?: string;
  /** How long an answer is waited for, in milliseconds; absent: as usual. */
  readonly timeoutMs?: number;
  /** Whether it is only learned from jobs. */
  readonly needsJobs?: boolean;
}

export const kinds: readonly StrangerKind[] = [
  { what: "no /v2", departure: () => withoutV2, causes: ["path-without-v2"] },
  {
    what: "no key",
    departure: () => withoutKey(apiKey),
    causes: ["key-not-asked"],
    without: "Bearer alone",
  },
  { what: "Bearer alone", departure: () => bearerAlone, causes: ["key-bearer-only"] },
  { what: "422", departure: () => refusing422, causes: ["refusals-422"] },
  {
    what: "no stream, retry and purge",
    departure: () => lacking("stream", "retry", "purge-queue"),
    causes: ["missing-stream", "missing-retry", "missing-purge-queue"],
  },
  {
    what: "no health",
    departure: () => lacking("health"),
    causes: ["missing-health"],
    without: "another health",
  },
  { what: "another health", departure: () => otherHealth, causes: ["health-shape"] },
  {
    what: "the handler looks at the input first",
    departure: () => inputFirst,
    causes: ["input-refused"],
  },
  {
    what: "no webhooks",
    departure: () => withoutWebhooks,
    causes: ["webhooks-never-arrive"],
    needsJobs: true,
  },
  { what: "slow cancel", departure: () => slowCancel(1500), causes: ["slow-cancel"] },
  { what: "late ids", departure: () => lateIds(1000), causes: ["ids-late"], needsJobs: true },
];

/** Kinds that answer what is asked, in another form. */
export const otherForms: readonly StrangerKind[] = [
  { what: "an envelope", departure: () => enveloped, causes: ["envelope"] },
  { what: "other names of states", departure: () => otherStates, causes: ["states-otherwise"] },
  { what: "other names of members", departure: () => otherMembers, causes: ["members-otherwise"] },
  { what: "null for what is absent", departure: () => nullMembers, causes: ["null-members"] },
  { what: "outputs as text", departure: () => outputsInText, causes: ["outputs-in-text"] },
  {
    what: "a byte order mark before each body",
    departure: () => markedBodies,
    causes: ["byte-order-mark"],
  },
  {
    what: "500 with the record of a failed job",
    departure: () => failedWithError,
    causes: ["record-with-500"],
  },
  {
    what: "a redirect to the result of a completed job",
    departure: () => completedElsewhere,
    causes: ["status-redirects"],
  },
  { what: "streams without chunks", departure: () => emptyStreams, causes: ["streams-empty"] },
  { what: "outputs alone", departure: () => outputAlone, causes: ["runsync-output-alone"] },
  {
    what: "408 when the wait is over",
    departure: () => waitOverAsError,
    causes: ["wait-over-408"],
  },
  {
    what: "a runsync that never waits",
    departure: () => runsyncAtOnce,
    causes: ["runsync-never-waits"],
  },
  {
    what: "a run that answers when its job has ended",
    departure: () => runHeld,
    causes: ["run-waits"],
  },
  { what: "no queue", departure: () => withoutQueue(apiKey), causes: ["one-job-at-a-time"] },
  { what: "a body with each POST", departure: () => bodiesNeeded, causes: ["bodies-needed"] },
  {
    what: "a cancel that forgets",
    departure: () => cancelledGone,
    causes: ["cancelled-jobs-gone"],
  },
  { what: "a cancel that fails", departure: () => failingCancel, causes: ["cancel-refused"] },
  {
    what: "a cancel without effect",
    departure: () => idleCancel,
    causes: ["cancel-without-effect"],
  },
  {
    what: "a health that counts nothing",
    departure: () => stillHealth,
    causes: ["health-counts-nothing"],
  },
  {
    what: "no job IN_PROGRESS",
    departure: () => neverInProgress,
    causes: ["never-in-progress"],
  },
  { what: "no job FAILED", departure: () => errorsCompleted, causes: ["never-failed"] },
  { what: "records without times", departure: () => withoutTimes, causes: ["times-missing"] },
  { what: "results that are read once", departure: resultsOnce, causes: ["results-read-once"] },
  { what: "a retry that fails", departure: () => failingRetry, causes: ["failing-retry"] },
  { what: "an object as stream", departure: () => streamInObject, causes: ["stream-in-object"] },
  { what: "events as stream", departure: () => streamOfEvents, causes: ["stream-of-events"] },
  {
    what: "500 for unknown jobs",
    departure: () => failingAtUnknown,
    causes: ["unknown-jobs-otherwise"],
  },
  {
    what: "200 for unknown jobs",
    departure: () => recordOfUnknown,
    causes: ["unknown-jobs-otherwise"],
  },
  { what: "times in seconds", departure: () => timesInSeconds, causes: ["times-otherwise"] },
  {
    what: "bare answers",
    departure: () => bareAnswers,
    causes: ["bare-cancel", "bare-retry", "bare-run"],
  },
  { what: "403 without a key", departure: () => forbiddingNone, causes: ["key-refusals-403"] },
  { what: "no cancel by POST", departure: () => cancelByDelete, causes: ["missing-cancel"] },
  {
    what: "health without a key",
    departure: () => openHealth(apiKey),
    causes: ["health-without-key"],
  },
  { what: "403 for a wrong key", departure: () => forbidding, causes: ["key-refusals-403"] },
  { what: "status by POST", departure: () => statusByPost, causes: ["post-status"] },
  {
    what: "errors in successes",
    departure: () => errorsInSuccesses,
    causes: ["errors-in-successes"],
  },
];

/** Kinds beside which little else is decided. */
export const kindsAlone: readonly StrangerKind[] = [
  {
    what: "a cancel that blocks it",
    departure: () => blockingCancel(12_000),
    causes: ["blocking-cancel"],
  },
  {
    what: "a retry that never answers",
    departure: () => silentRetry,
    causes: ["silent-retry"],
    timeoutMs: 3000,
  },
  { what: "workers that die", departure: () => dyingWorkers(30), causes: ["nothing-moves"] },
];
