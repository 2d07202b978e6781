import {
  arrivals,
  atLeast,
  atMost,
  figure,
  inFlightWith,
  jobLimitMs,
  ownJobsDone,
  engineDemandsOf,
  zeroCount,
  plannedIn,
  iterationsOf,
  shareOf,
  soundAnswers,
} from "../scenario.ts";
import type { FigureRow, Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";

const quarters = [1, 2, 3, 4] as const;
const inFlightMax = 50;

/** A doubled median is drift; a few milliseconds more are not. */
const driftShareMax = 2;
const driftMsFree = 5;

/** The growth allowed: a target keeps each result for half an hour, and runtimes return memory when they like. */
const grownMegabytesFree = 64;
const grownMegabytesPerJobMax = 20 / 1_024;
const megabyte = 1_048_576;

/** The same work for a long time. */
export const soak: Scenario = {
  name: "soak",
  question: "Does the target stay as fast and as small as it was, hour after hour?",
  limits:
    "no job lost; the median answer of the last quarter at most twice that of the first and 5 ms; " +
    "where its memory can be seen, it grows by no more than 64 MB and 20 KB for each job kept",
  needs: ["quick"],
  durationMs: 600_000,
  endpoint: { workers: 10, clock: "real" },
  plan,
  derive: (read, { phases }) => {
    const median = (quarter: number): number =>
      read(`http_req_duration{phase:quarter-${quarter}}`, "med") ?? 0;
    const jobs = phases.reduce(
      (sum, phase) => sum + (phase.kind === "arrivals" ? plannedIn(phase) : 0),
      0,
    );
    const grownBytes = (read("memory.last", "max") ?? 0) - (read("memory.first", "max") ?? 0);
    const lateness = (quarter: number): number =>
      read(`lateness{phase:quarter-${quarter}}`, "p95") ?? 0;
    const drift = Math.max(0, median(4) - driftShareMax * median(1));
    const busier = Math.max(0, lateness(4) - driftShareMax * lateness(1));
    return {
      "soak.drift": drift,
      // Where k6 itself became slower, so did the machine, and it is not known whether the target did.
      "soak.busier": drift > driftMsFree ? busier : 0,
      "soak.grown": Math.max(0, grownBytes / megabyte - jobs * grownMegabytesPerJobMax),
    };
  },
  answer: (figures) => {
    const memory =
      figures["memory MB last"] === undefined
        ? "its memory could not be seen from here"
        : `its memory went from ${figures["memory MB first"] ?? "?"} to ${figures["memory MB last"]} MB`;
    return `Median answer ${figures["latency ms p50 first quarter"] ?? "?"} ms in the first quarter and ${figures["latency ms p50 last quarter"] ?? "?"} ms in the last; ${memory}; ${figures["jobs lost"] ?? "?"} of ${figures["jobs"] ?? "?"} jobs lost.`;
  },
};

function plan(size: ScenarioSize): ScenarioPlan {
  const quarterMs = Math.floor(size.durationMs / quarters.length);
  const perWindow = shareOf(size, "run", 0.2);
  const followed = inFlightWith(size, perWindow, inFlightMax);
  const phases = quarters.map((quarter, index) =>
    arrivals(size, {
      name: `quarter-${quarter}`,
      does: "work",
      perWindow,
      startMs: index * quarterMs,
      durationMs: quarterMs,
      inFlightMax: followed,
    }),
  );
  const jobs = iterationsOf(phases);
  return {
    cost: {
      requests: jobs * 3,
      jobs,
      durationMs: size.durationMs,
      peakPerSecond: Math.ceil((jobs * 3 * 1_000) / size.durationMs),
      inFlightMax: 2 * followed,
    },
    phases,
    demands: [
      ...phases.flatMap((phase) => engineDemandsOf(phase)),
      atLeast(Math.floor(jobs * 0.98) - phases.length, "jobs_accepted", "jobs accepted"),
      zeroCount("jobs_lost", "jobs lost", { requirement: "LIFE-08", proves: true }),
      atMost(
        driftMsFree,
        "soak.drift",
        "ms by which the last quarter's median is over twice the first's",
      ),
      atMost(driftMsFree, "soak.busier", "ms by which k6 itself grew late meanwhile", {
        of: "engine",
      }),
      ...ownJobsDone(size),
      atMost(grownMegabytesFree, "soak.grown", "MB it grew beyond 20 KB for each job"),
      ...soundAnswers,
    ],
    figures,
    values: { jobLimitMs: jobLimitMs(size) },
  };
}

const figures: readonly FigureRow[] = [
  figure("jobs", "jobs_accepted"),
  figure("jobs lost", "jobs_lost"),
  figure("requests", "requests_sent"),
  figure("refused", "requests_refused"),
  figure("5xx", "requests_broken"),
  ...(["med", "p95"] as const).flatMap((measure) =>
    ([1, 4] as const).map((quarter) =>
      figure(
        `latency ms ${measure === "med" ? "p50" : "p95"} ${quarter === 1 ? "first" : "last"} quarter`,
        `http_req_duration{phase:quarter-${quarter}}`,
        measure,
      ),
    ),
  ),
  figure("memory MB first", "memory.first.mb", "max"),
  figure("memory MB last", "memory.last.mb", "max"),
];
