export type { Evidence, Mismatch, Reading } from "../openapi/index.ts";
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
export { HarnessError } from "../harness/outcome.ts";
export type { HarnessErrorCode, Verdict } from "../harness/outcome.ts";
export type { CheckResult } from "../harness/judge.ts";
