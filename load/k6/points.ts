import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/** What k6 measured under one name: the values of all its points, of however many processes. */
export interface Series {
  readonly type: "counter" | "gauge" | "rate" | "trend";
  readonly values: number[];
}

/** One answered request, or one that had no answer. */
export interface RequestPoint {
  /** When it ended, in milliseconds since the epoch. */
  readonly endedMs: number;
  readonly durationMs: number;
  /** 0: no answer. */
  readonly status: number;
  readonly tags: Readonly<Record<string, string>>;
}

/** A file that does not hold the points of a whole run of k6. */
export class K6PointsError extends Error {
  override readonly name = "K6PointsError";
}

type Tags = Readonly<Record<string, string>>;

interface Part {
  readonly tags: readonly (readonly [string, string])[];
  readonly series: Series;
}

/**
 * Points of k6 (`--out json=FILE.json.gz`), read from one file after the other: each metric, and each part of one that
 * a threshold asks for, such as `http_reqs{phase:at}`. Several files count as if one process had written them all.
 */
export class K6Points {
  readonly #series = new Map<string, Series>();
  readonly #parts = new Map<string, Part[]>();
  readonly #requests: RequestPoint[] = [];
  readonly #only: ReadonlySet<string> | undefined;

  /** @param only the metrics to read; the others are passed over, which is much faster. */
  constructor(only?: ReadonlySet<string>) {
    this.#only = only;
  }

  get series(): ReadonlyMap<string, Series> {
    return this.#series;
  }

  /** Every request, in the order of the files. */
  get requests(): readonly RequestPoint[] {
    return this.#requests;
  }

  /**
   * Adds what one process measured.
   * @throws K6PointsError where the file is missing, cut off, or something else.
   */
  async add(file: string): Promise<void> {
    let lines = 0;
    try {
      for await (const line of linesOf(unpacked(file))) {
        this.#take(line);
        lines += 1;
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new K6PointsError(`the points in ${file} cannot be read: ${why}`, { cause: error });
    }
    if (lines === 0) throw new K6PointsError(`${file} holds no points`);
  }

  #take(line: string): void {
    if (this.#only !== undefined && !this.#only.has(metricIn(line))) return;
    const { type, metric, data } = readLine(line);
    if (type === "Metric") this.#open(metric, data);
    else if (type === "Point") this.#push(metric, data);
  }

  #open(metric: string, { type, submetrics }: LineData): void {
    if (!isSeriesType(type)) throw new TypeError(`${metric} is of an unknown type`);
    this.#seriesOf(metric, type);
    const parts = (submetrics ?? []).map(({ name, tags }) => ({
      tags: Object.entries(tags),
      series: this.#seriesOf(name, type),
    }));
    this.#parts.set(metric, parts);
  }

  #seriesOf(name: string, type: Series["type"]): Series {
    const series = this.#series.get(name) ?? { type, values: [] };
    this.#series.set(name, series);
    return series;
  }

  #push(metric: string, { time, value, tags = {} }: LineData): void {
    const series = this.#series.get(metric);
    if (series === undefined || typeof value !== "number") {
      throw new TypeError(`a point of ${metric} before its metric, or without a value`);
    }
    series.values.push(value);
    for (const part of this.#parts.get(metric) ?? []) {
      if (part.tags.every(([name, wanted]) => tags[name] === wanted)) {
        part.series.values.push(value);
      }
    }
    if (metric === "http_req_duration") this.#requests.push(requestOf(time, value, tags));
  }
}

function unpacked(file: string): Readable {
  // An error of either stream is thrown where the lines are read.
  return pipeline(createReadStream(file), createGunzip(), () => undefined);
}

/** Splits lines without readline, which would take an error of its input for the end. */
async function* linesOf(text: Readable): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of text.setEncoding("utf8")) {
    const lines = `${rest}${String(piece)}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function requestOf(time: string | undefined, durationMs: number, tags: Tags): RequestPoint {
  const endedMs = Date.parse(time ?? "") + fractionMs(time ?? "");
  return { endedMs, durationMs, status: Number(tags["status"] ?? 0), tags };
}

/** The fraction of a millisecond that a JavaScript date drops: k6 writes nanoseconds. */
function fractionMs(time: string): number {
  const digits = /\.\d{3}(\d+)/.exec(time)?.[1];
  return digits === undefined ? 0 : Number(`0.${digits}`);
}

/** Finds the metric without parsing the line as JSON: it is the first or the last member. */
function metricIn(line: string): string {
  return /^\{"metric":"([^"]*)"|"metric":"([^"]*)"\}$/.exec(line)?.slice(1).join("") ?? "";
}

interface LineData {
  readonly type?: string;
  readonly submetrics?: readonly { readonly name: string; readonly tags: Tags }[] | null;
  readonly time?: string;
  readonly value?: number;
  readonly tags?: Tags;
}

interface Line {
  readonly type: string;
  readonly metric: string;
  readonly data: LineData;
}

function readLine(text: string): Line {
  const line: unknown = JSON.parse(text);
  if (isLine(line)) return line;
  throw new TypeError("a line is no point of k6");
}

function isLine(line: unknown): line is Line {
  if (typeof line !== "object" || line === null) return false;
  if (!("type" in line) || !("metric" in line) || !("data" in line)) return false;
  return typeof line.metric === "string" && typeof line.data === "object" && line.data !== null;
}

function isSeriesType(type: string | undefined): type is Series["type"] {
  return type === "counter" || type === "gauge" || type === "rate" || type === "trend";
}

/** From the start of the first request to the end of the last, in milliseconds; 0 where there is none. */
export function spanMsOf(requests: readonly RequestPoint[]): number {
  let [fromMs, toMs] = [Infinity, -Infinity];
  for (const { endedMs, durationMs } of requests) {
    fromMs = Math.min(fromMs, endedMs - durationMs);
    toMs = Math.max(toMs, endedMs);
  }
  return Math.max(0, toMs - fromMs);
}
