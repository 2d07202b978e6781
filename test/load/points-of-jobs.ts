import { gzipSync } from "node:zlib";

import { metricLine, pointLine } from "./points-lines.ts";

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
