import { isOfLoad } from "../openapi/requirements.ts";
import { createReport as reportOf } from "../reports/create-report.ts";
import { decidedByReason, notSelectedReason } from "../reports/not-run.ts";
import type { Report } from "../reports/model.ts";
import { toolVersion } from "../openapi/installation.ts";
import type { ContractOutcome } from "./run-contract.ts";

/**
 * Makes the report of a run, as `report.json` has it: every requirement of the catalogue with its verdict,
 * what it needs, and the exchanges that prove a failure. It holds no keys and no secrets.
 */
export function createReport(outcome: ContractOutcome): Report {
  return reportOf({
    toolVersion: toolVersion(),
    nodeVersion: process.version,
    command: "contract",
    notRunReason: (id) => (isOfLoad(id) ? decidedByReason(["load"]) : notSelectedReason),
    ...outcome,
  });
}
