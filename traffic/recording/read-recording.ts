import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseJson } from "../../client/parse-json.ts";
import { harEntries } from "./har-entries.ts";
import { exchangeOfEntry } from "./har-entry.ts";
import { exchangeOf } from "./record-line.ts";
import type { RecordedExchange } from "./recorded-exchange.ts";

/** What could not be read of a file, beside what could. */
export interface ReadingCounts {
  /** Entries that were answered from a cache, and never reached the server. */
  cached: number;
  unreadable: number;
  /** Why the first of them could not be read. */
  firstProblem: string | undefined;
}

/** The file is no recording at all; the message says why, and names it. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
  readonly code = "WRONG_USAGE";
  readonly hint = "Give HAR files, or what `queueproof proxy --record` wrote.";
}

/**
 * Reads the exchanges of one file, a HAR file or what the proxy recorded. One that cannot be read takes only itself away.
 * @throws RecordingError where the file cannot be opened, or is something else
 */
export async function* readRecording(
  path: string,
  counts: ReadingCounts,
): AsyncGenerator<RecordedExchange> {
  const beginning = await beginningOf(path);
  const isHar = /^\uFEFF?\s*\{\s*"log"\s*:/.test(beginning);
  const isLines = /^\s*\{"number":\d+,"connection":/.test(beginning);
  if (!isHar && !isLines) {
    throw new RecordingError(`${path} is neither a HAR file nor a recording of the proxy`);
  }
  let number = 0;
  for await (const text of isHar ? harEntries(createReadStream(path)) : linesOf(path)) {
    number += 1;
    try {
      const exchange = isHar ? exchangeOfEntry(parseJson(text), number) : exchangeOf(text);
      if (exchange === undefined) counts.cached += 1;
      else yield exchange;
    } catch (error) {
      counts.unreadable += 1;
      counts.firstProblem ??= `${path}, ${isHar ? "entry" : "line"} ${number}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

async function beginningOf(path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RecordingError(`${path} cannot be read: ${why}`, { cause: error });
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) if (line.trim() !== "") yield line;
}

/** Reads several files of one system as one recording, by the time of their exchanges. */
export async function* mergedRecordings(
  paths: readonly string[],
  counts: ReadingCounts,
): AsyncGenerator<RecordedExchange> {
  const readers = paths.map((path) => readRecording(path, counts));
  const heads = await Promise.all(readers.map(async (reader) => reader.next()));
  let number = 0;
  for (;;) {
    let earliest = -1;
    for (const [index, head] of heads.entries()) {
      if (head.done === true) continue;
      const best = heads[earliest];
      const isEarlier =
        best === undefined || best.done === true || head.value.arrivedMs < best.value.arrivedMs;
      if (isEarlier) earliest = index;
    }
    const head = heads[earliest];
    const reader = readers[earliest];
    if (head === undefined || head.done === true || reader === undefined) return;
    number += 1;
    // Numbers tell connections of different files apart as well.
    const connection = head.value.connection * paths.length + earliest;
    yield { ...head.value, number, connection };
    heads[earliest] = await reader.next();
  }
}
