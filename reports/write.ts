import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RepeatLineOf, Report, Writer } from "./model.ts";
import { repeatLinesFor } from "./repeat-line.ts";
import type { ReportFormat } from "./report-formats.ts";

/** The file name of each format and what writes it, which is loaded when it is needed. */
const writers: Readonly<
  Record<ReportFormat, { readonly fileName: string; readonly load: () => Promise<Writer> }>
> = {
  html: {
    fileName: "report.html",
    load: async () => (await import("./html/write-html.ts")).writeHtml,
  },
  junit: { fileName: "junit.xml", load: async () => (await import("./junit.ts")).writeJunit },
  json: { fileName: "report.json", load: async () => (await import("./json.ts")).writeJson },
  md: { fileName: "report.md", load: async () => (await import("./markdown.ts")).writeMarkdown },
  har: { fileName: "report.har", load: async () => (await import("./har.ts")).writeHar },
  ctrf: { fileName: "ctrf.json", load: async () => (await import("./ctrf.ts")).writeCtrf },
  badge: { fileName: "badge.svg", load: async () => (await import("./badge.ts")).writeBadge },
};

/** Loads what writes the formats. It takes as long as dozens of requests, so that a run begins without it. */
export async function loadWriters(): Promise<void> {
  await Promise.all(Object.values(writers).map(async ({ load }) => load()));
}

/** Says that a report could not be written. */
export class ReportWriteError extends Error {
  override readonly name = "ReportWriteError";
  /** REPORT_DIRECTORY: the directory cannot be made or written to. REPORT_FILE: one file cannot be written. */
  readonly code: "REPORT_DIRECTORY" | "REPORT_FILE";
  readonly path: string;
  readonly hint = "Give a directory that can be written to with --report DIR.";

  constructor(code: ReportWriteError["code"], where: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`the report cannot be written to ${where}: ${why}`, { cause });
    this.code = code;
    this.path = where;
  }
}

export interface WriteOptions {
  readonly directory: string;
  readonly formats: readonly ReportFormat[];
  /** The command that repeats a requirement; by default `replay` of the written report.json, seen from the cwd. */
  readonly repeatLineOf?: RepeatLineOf;
}

/**
 * Writes a report in each format under its fixed file name, and returns the paths in the order of `formats`. Each file
 * is written under a temporary name and then renamed, so that a reader never sees half of one.
 * @throws ReportWriteError where the directory or a file cannot be written.
 */
export async function writeReports(
  report: Report,
  { directory, formats, repeatLineOf }: WriteOptions,
): Promise<readonly string[]> {
  const lineOf = repeatLineOf ?? repeatLinesFor({ directory, formats }, process.cwd());
  await ensureReportDirectory(directory);
  const written: string[] = [];
  for (const format of new Set(formats)) {
    const { fileName, load } = writers[format];
    const file = path.join(directory, fileName);
    await replaceFile(file, (await load())(report, lineOf));
    written.push(file);
  }
  return written;
}

/**
 * Makes the directory where it is missing and proves that files can be written there, so that a long run does not
 * fail only at its end.
 * @throws ReportWriteError with code REPORT_DIRECTORY.
 */
export async function ensureReportDirectory(directory: string): Promise<void> {
  const probe = path.join(directory, temporaryName());
  try {
    await makeDirectory(path.resolve(directory));
    await writeFile(probe, "");
    await rm(probe);
  } catch (error) {
    throw new ReportWriteError("REPORT_DIRECTORY", directory, error);
  }
}

/** Makes one level at a time: Node's recursive mkdir never ends in a file system that answers ENOENT, such as /proc. */
async function makeDirectory(directory: string): Promise<void> {
  const parent = path.dirname(directory);
  if (parent !== directory && !existsSync(parent)) await makeDirectory(parent);
  await mkdir(directory).catch((error: unknown) => {
    if (!existsSync(directory)) throw error;
  });
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = path.join(path.dirname(file), temporaryName());
  try {
    await writeFile(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new ReportWriteError("REPORT_FILE", file, error);
  }
}

function temporaryName(): string {
  return `.queueproof-${randomUUID()}.tmp`;
}
