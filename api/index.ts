/**
 * queueproof as a library: the embedded implementation as a test double, the contract suite, reports.
 * Everything else is internal and may change.
 * @packageDocumentation
 */
export { startReference } from "../reference/index.ts";
export type { Reference, ReferenceOptions } from "../reference/index.ts";
export { runContract } from "./run-contract.ts";
export type { ContractOptions, ContractOutcome } from "./run-contract.ts";
export { createReport } from "./create-report.ts";
export { exitCodeOf, reportFormats, writeReports } from "../reports/index.ts";
export type { Report, ReportFormat } from "../reports/index.ts";
export { HarnessError } from "../harness/outcome.ts";
