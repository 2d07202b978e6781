/** The formats of a report; their file names are fixed (docs/read-a-report.md#files). */
export const reportFormats = ["html", "junit", "json", "md", "har", "ctrf", "badge"] as const;
export type ReportFormat = (typeof reportFormats)[number];
