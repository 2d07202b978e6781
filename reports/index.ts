export { createReport, type ReportInput } from "./create-report.ts";
export { writeJson } from "./json.ts";
export type * from "./model.ts";
export { verdicts } from "./model.ts";
export { exitCodeOf, summarise, verdictOf } from "./verdicts.ts";
export { parseReport, ReportParseError } from "./parse-report.ts";
export { overallOf, verdictSentence, type Overall } from "./sentence.ts";
export {
  ensureReportDirectory,
  reportFormats,
  ReportWriteError,
  writeReports,
  type ReportFormat,
  type WriteOptions,
} from "./write.ts";
