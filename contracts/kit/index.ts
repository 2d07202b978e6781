export type { Check } from "./check.ts";
export { offeredCalls } from "./every-operation.ts";
export type { OperationCall } from "./every-operation.ts";
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
} from "./fixtures.ts";
export type { FinishedJob, Place, SubmittedJob } from "./fixtures.ts";
export { ageBetween, spanning } from "./interval.ts";
export type { Interval } from "./interval.ts";
export { Undecided } from "./outcome.ts";
export { answerOf, isSuccess, outline, readBody } from "./read.ts";
export { finalStates, isFinal, jobStates, readRecord } from "./record.ts";
export type { LooseRecord } from "./record.ts";
export { countedJobs, waitingJobs } from "./counts.ts";
export { takeRoom } from "./room.ts";
export { show } from "./show.ts";
export type { EndpointTime } from "./time.ts";
export type { Tools } from "./tools.ts";
export { expectFreeWorker, isOver, overAfter, overWithin, readingOf, stateOf } from "./look.ts";
export { answeredSync, heldRunsync, started, submitOperations, submittedBy } from "./submit.ts";
export type { HeldRunsync, StartedJob, Submission, SubmitOperation } from "./submit.ts";
export { afterStall, ranSync, workedOut } from "./endings.ts";
export { holding } from "./held-request.ts";
export { expectGone, expectKept, isFound } from "./kept.ts";
export { Payloads } from "./payload.ts";
export { everyStateMs, jobsInEveryState } from "./every-state.ts";
export type { JobInState } from "./every-state.ts";
