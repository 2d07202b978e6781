export { createReport, type ReportInput } from "./create-report.ts";
export type * from "./model.ts";
export { exitCodeOf, questionsOf, summarise } from "./verdicts.ts";
export { parseReport, ReportParseError } from "./parse-report.ts";
export { groupedDeviations, type DeviationGroup } from "./deviations.ts";
export { verdictSentence } from "./sentence.ts";
export { reportFormats, type ReportFormat } from "./report-formats.ts";
export {
  ensureReportDirectory,
  ReportWriteError,
  writeReports,
  type WriteOptions,
} from "./write.ts";
export { mergeReports, withoutLoad } from "./merge-reports.ts";
export { sealOf } from "./integrity.ts";
export { verifyReport, type Verification } from "./verify.ts";
