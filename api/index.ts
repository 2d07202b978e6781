/**
 * queueproof as a library: the embedded implementation as a test double, the contract suite, reports.
 * Everything else is internal and may change.
 * @packageDocumentation
 */
export { startReference } from "./start-reference.ts";
export type { ReferenceApi } from "./start-reference.ts";
export type { Reference, ReferenceOptions } from "../reference/start-reference.ts";
export type { HandlerCall, HandlerFunction, HandlerRow } from "../reference/own-handler.ts";
export { Control } from "./control.ts";
export type { EndpointControl, ControlledServer } from "./control.ts";
export type { EndpointOptions } from "../client/control-client.ts";
export { runContract } from "./run-contract.ts";
export type { ContractOptions, ContractOutcome } from "./run-contract.ts";
export { createReport } from "./run-contract.ts";
export { exitCodeOf } from "../reports/verdicts.ts";
export { reportFormats } from "../reports/report-formats.ts";
export { writeReports } from "../reports/write.ts";
export type { Report } from "../reports/model.ts";
export type { ReportFormat } from "../reports/report-formats.ts";
export { HarnessError } from "../harness/outcome.ts";
