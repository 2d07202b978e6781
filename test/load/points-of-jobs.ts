import { gzipSync } from "node:zlib";

/** The size in which whole-jobs runs there: 40 jobs at a quarter of the limit of run, by two runners. */
export const sizeOfJobs = { durationMs: 1_600, scale: 1, capabilities: ["handler"] };

/** What is special about one of the runners. */
export interface Left {
  /** undefined: it does not say. */
  readonly beganMs?: number | undefined;
  readonly lost?: number;
  readonly lateMs?: number;
  /** Default 20. */
  readonly jobs?: number;
}

/** The points of one of two runners: jobs of 1, 3, 5 … ms by the first, of 2, 4, 6 … by the second. */
export function pointsOfJobs(left: Left, at: number): Buffer {
  const { lost = 0, lateMs = 0, jobs = 20 } = left;
  const beganMs = "beganMs" in left ? left.beganMs : 1_000;
  const phase = { phase: "jobs" };
  const each = Array.from({ length: jobs }, (_, index) => [
    pointLine("iterations_begun", 1, phase),
    pointLine("lateness", lateMs, phase),
    pointLine("jobs_accepted", 1, phase),
    pointLine("time_to_result", 2 * index + 1 + at, phase),
    pointLine("http_req_duration", 1, { ...phase, status: "200" }),
  ]);
  const lines = [
    metricLine("began_at", "trend"),
    metricLine("iterations_begun", "counter", phase),
    metricLine("lateness", "trend", phase),
    metricLine("jobs_accepted", "counter"),
    metricLine("jobs_lost", "counter"),
    metricLine("time_to_result", "trend"),
    metricLine("http_req_duration", "trend"),
    ...(beganMs === undefined ? [] : [pointLine("began_at", beganMs)]),
    ...each.flat(),
    ...Array.from({ length: lost }, () => pointLine("jobs_lost", 1)),
  ];
  return gzipSync(`${lines.join("\n")}\n`);
}

type Tags = Readonly<Record<string, string>>;

/** How k6 introduces a metric, with the parts of it that thresholds ask for. */
export function metricLine(name: string, type: string, ...parts: readonly Tags[]): string {
  const submetrics = parts.map((tags) => {
    const suffix = Object.entries(tags)
      .map(([tag, value]) => `${tag}:${value}`)
      .join(",");
    return { name: `${name}{${suffix}}`, suffix, tags };
  });
  const data = { name, type, contains: "default", thresholds: [], submetrics };
  return JSON.stringify({ type: "Metric", data, metric: name });
}

/** One value as k6 writes it, `atMs` milliseconds after a fixed moment. */
export function pointLine(name: string, value: number, tags: Tags = {}, atMs = value): string {
  const time = `2026-01-01T00:00:${String(Math.floor(atMs / 1_000)).padStart(2, "0")}.${String(atMs % 1_000).padStart(3, "0")}25Z`;
  return JSON.stringify({ metric: name, type: "Point", data: { time, value, tags } });
}
