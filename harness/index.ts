export type { Check } from "./check.ts";
export { offeredCalls } from "./jobs/every-operation.ts";
export type { OperationCall } from "./jobs/every-operation.ts";
export type { Expectations } from "./expect.ts";
export {
  requireRead,
  requireState,
  retryJob,
  retryToEnd,
  runToCompletion,
  runToFailure,
  recordAtEnd,
  waitForEnd,
  waitUntilInProgress,
  waitUntilReadable,
  readJob,
  submitJob,
} from "./jobs/fixtures.ts";
export { inputs } from "./inputs/conformance-jobs.ts";
export { longJobMs } from "./inputs/jobs.ts";
export type { JobInput, Jobs, WorkLength } from "./inputs/jobs.ts";
export type { EndpointHandle } from "./endpoint/endpoint-handle.ts";
export type { FinishedJob, SubmittedJob } from "./jobs/fixtures.ts";
export { ageBetween, spanning } from "./interval.ts";
export type { Interval } from "./interval.ts";
export { Inconclusive, Unsupported } from "./outcome.ts";
export { admittedAnswerOf, answerOf, isSuccess, describeAnswer, readBody } from "./read.ts";
export { lastingFields, finalStates, isFinal, jobStates, readRecord, stateOf } from "./record.ts";
export type { LooseRecord } from "./record.ts";
export {
  countJobs,
  countJobsUntil,
  countJobsWithControl,
  countQueuedJobs,
  unfinishedIn,
} from "./jobs/counts.ts";
export { awaitRateLimitSlot } from "./endpoint/rate-limit-slot.ts";
export { show } from "./show.ts";
export { requireYounger } from "./endpoint/time.ts";
export type { EndpointTime, Observation } from "./endpoint/time.ts";
export { openLedger } from "./jobs/ledger.ts";
export type { Ledger } from "./jobs/ledger.ts";
export type { CheckContext } from "./check-context.ts";
export {
  expectFreeWorker,
  expectNot,
  unfinishedOrCompleted,
  isOver,
  statusAfter,
  statusBefore,
  waitUntilOverAfter,
  waitUntilOverBy,
  waitUntilOverWithin,
  readingOf,
} from "./jobs/job-state.ts";
export {
  runSyncShortly,
  runToEnd,
  sendHeldRunsync,
  startJob,
  submitOperations,
  submitOperationsOf,
  submitJobBy,
} from "./jobs/submit.ts";
export type { HeldRunsync, StartedJob, Submission, SubmitOperation } from "./jobs/submit.ts";
export { expectOutput, runToFailureIfOffered, requireQuickWithin } from "./jobs/offered-jobs.ts";
export {
  crashNoticedMsMax,
  runAfterStall,
  runSync,
  runToTimeout,
  shortestTimeoutMs,
  waitForCompletion,
} from "./jobs/endings.ts";
export { holdRunsync, holdSubmission } from "./jobs/held-request.ts";
export {
  expectGone,
  expectGoneAfter,
  expectKept,
  expectKeptUntil,
  isFound,
  retentionMs,
  retentionMsMax,
  workedMsOf,
} from "./jobs/retention.ts";
export { answerToOversized } from "./jobs/payload.ts";
export { everyStateMs, everyStateSlowMs, withJobsInEveryState } from "./jobs/every-state.ts";
export type { JobInState } from "./jobs/every-state.ts";
