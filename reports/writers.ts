import { writeBadge } from "./badge.ts";
import { writeCtrf } from "./ctrf.ts";
import { writeHar } from "./har.ts";
import { writeHtml } from "./html/write-html.ts";
import { writeJson } from "./json.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";
import type { Writer } from "./model.ts";
import type { ReportFormat } from "./report-formats.ts";

/** The file name of each format and what writes it. */
export type Writers = Readonly<
  Record<ReportFormat, { readonly fileName: string; readonly write: Writer }>
>;

export const writers: Writers = {
  html: { fileName: "report.html", write: writeHtml },
  junit: { fileName: "junit.xml", write: writeJunit },
  json: { fileName: "report.json", write: writeJson },
  md: { fileName: "report.md", write: writeMarkdown },
  har: { fileName: "report.har", write: writeHar },
  ctrf: { fileName: "ctrf.json", write: writeCtrf },
  badge: { fileName: "badge.svg", write: writeBadge },
};
