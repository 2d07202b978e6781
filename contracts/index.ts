export { planContract } from "./plan.ts";
export type { Cost, LeftOut, Plan, PlannedCheck } from "./plan.ts";
export { checkSummaries, runContract } from "./runner.ts";
export type {
  CheckSummary,
  ContractEvent,
  ContractHooks,
  ContractRun,
  ContractSettings,
} from "./runner.ts";
export { HarnessError } from "./kit/outcome.ts";
export type { HarnessErrorCode, Verdict } from "./kit/outcome.ts";
export type { CheckResult } from "./kit/judge.ts";
export type { Mismatch, Reading } from "./kit/expect.ts";
export type { Evidence } from "./kit/evidence.ts";
