export { exchangeText, requirementsOf, sharedCauses } from "./causes.ts";
export { createReport, type ReportInput } from "./create-report.ts";
export type * from "./model.ts";
export {
  exitCodeOf,
  isDecided,
  isUntested,
  scenariosWithVerdict,
  undecidedIn,
} from "./verdicts.ts";
export { profilesOf, profilesText, sharesText, totalsOf, undecidedProfiles } from "./profiles.ts";
export { groupedDeviations, type DeviationGroup } from "./deviations.ts";
export { notRunGroupsOf, withVerdict } from "./groups.ts";
export { absenceLines, cleanedUpText, sentText, verdictSentence } from "./sentence.ts";
export { engineDoubts } from "./load/side-by-side.ts";
export { attemptLines } from "./attempts.ts";
export { reportFormats, type ReportFormat } from "./report-formats.ts";
export {
  ensureReportDirectory,
  loadWriters,
  ReportWriteError,
  writeReports,
  type WriteOptions,
} from "./write.ts";
export { mergeReports, withoutLoad } from "./merge-reports.ts";
export { repeatLine, repeatLinesFor } from "./repeat-line.ts";
export { digestState } from "./integrity.ts";
export { withoutBodies } from "./without-bodies.ts";
