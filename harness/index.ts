export type { Check } from "./check.ts";
export { offeredCalls } from "./jobs/every-operation.ts";
export type { OperationCall } from "./jobs/every-operation.ts";
export type { Expectations } from "./expect.ts";
export {
  arranged,
  completed,
  failed,
  finished,
  inProgress,
  inputs,
  readable,
  recordOf,
  submitted,
} from "./jobs/fixtures.ts";
export type { FinishedJob, Place, SubmittedJob } from "./jobs/fixtures.ts";
export { ageBetween, spanning } from "./interval.ts";
export type { Interval } from "./interval.ts";
export { Undecided } from "./outcome.ts";
export { answerOf, isSuccess, outline, readBody } from "./read.ts";
export { finalStates, isFinal, jobStates, readRecord } from "./record.ts";
export type { LooseRecord } from "./record.ts";
export { countedJobs, waitingJobs } from "./jobs/counts.ts";
export { takeRoom } from "./endpoint/rate-limit-slot.ts";
export { show } from "./show.ts";
export type { EndpointTime } from "./endpoint/time.ts";
export type { Tools } from "./check-context.ts";
export {
  expectFreeWorker,
  isOver,
  overAfter,
  overWithin,
  readingOf,
  stateOf,
} from "./jobs/job-state.ts";
export {
  answeredSync,
  heldRunsync,
  started,
  submitOperations,
  submittedBy,
} from "./jobs/submit.ts";
export type { HeldRunsync, StartedJob, Submission, SubmitOperation } from "./jobs/submit.ts";
export { afterStall, ranSync, workedOut } from "./jobs/endings.ts";
export { holding } from "./jobs/held-request.ts";
export { expectGone, expectKept, isFound } from "./jobs/retention.ts";
export { Payloads } from "./jobs/payload.ts";
export { everyStateMs, jobsInEveryState } from "./jobs/every-state.ts";
export type { JobInState } from "./jobs/every-state.ts";
