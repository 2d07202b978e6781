export { needsOf, realTimeOf } from "./check.ts";
export type { Check } from "./check.ts";
export type { Expectations } from "./expect.ts";
export {
  arranged,
  completed,
  failed,
  finished,
  inProgress,
  inputs,
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
export type { Tools } from "./tools.ts";
