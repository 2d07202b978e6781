import { resultBytesMax } from "../openapi/sizes.ts";
import { prose, sectionText, table } from "./markdown-text.ts";
import type { Report } from "./model.ts";
import { durationText } from "./words.ts";

type WorkerFigures = NonNullable<Report["worker"]>;

const mib = 1_048_576;

export const workerColumns = [
  "test",
  "outcome",
  "first job",
  "later jobs",
  "result (of 20 MiB)",
  "peak memory",
] as const;

/** The figures of each test of a worker, in words, in the order of the columns. */
export function workerRows({ tests }: WorkerFigures): readonly (readonly string[])[] {
  return tests.map(({ name, outcome, firstMs, laterMs, resultBytes, peakMemoryBytes }) => [
    name,
    outcome,
    timeText(firstMs),
    timeText(laterMs),
    `${sizeText(resultBytes)} (${Math.round((100 * resultBytes) / resultBytesMax)} %)`,
    peakMemoryBytes === undefined ? "not known" : sizeText(peakMemoryBytes),
  ]);
}

/** How long the worker took to ask for its first job, how its memory went, and what else is told of it. */
export function workerSentences(figures: WorkerFigures): readonly string[] {
  const { coldStartMs, memoryBytes, told = [] } = figures;
  const [first, last] = [memoryBytes[0], memoryBytes.at(-1)];
  return [
    `It asked for its first job ${durationText(coldStartMs)} after its start.`,
    ...(first === undefined || last === undefined
      ? []
      : [
          `Its processes held ${sizeText(first)} after the first of ${memoryBytes.length} jobs of one input, ${sizeText(last)} after the last.`,
        ]),
    ...told,
  ];
}

/** The figures of a worker for report.md. */
export function workerText({ worker }: Report): string {
  if (worker === undefined) return "";
  const rows = workerRows(worker).map((row) => row.map(prose));
  const sentences = workerSentences(worker).join(" ");
  return sectionText("Worker", rows, sentences, table(workerColumns, rows));
}

function timeText(ms: number | null): string {
  return ms === null ? "" : durationText(ms);
}

function sizeText(bytes: number): string {
  if (bytes >= mib) return `${(bytes / mib).toFixed(1)} MiB`;
  return bytes >= 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${bytes} B`;
}
