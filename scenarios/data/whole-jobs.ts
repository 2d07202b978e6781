import {
  arrivals,
  atLeast,
  figure,
  inFlightWith,
  jobLimitMs,
  ownJobsDone,
  engineDemandsOf,
  zeroCount,
  plannedIn,
  shareOf,
  soundAnswers,
  yesIfNone,
} from "../scenario.ts";
import type { Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";

const inFlightMax = 100;
const workMs = 50;

/** Follows jobs from submission to result, as a client does. */
export const wholeJobs: Scenario = {
  name: "whole-jobs",
  question: "Does every job come back with its own result, and how long does each stage take?",
  limits:
    "no job lost, no result of another job, nothing refused at a quarter of the limit, no 5xx",
  needs: ["quick"],
  durationMs: 30_000,
  endpoint: { workers: 10, clock: "real" },
  plan,
  answer: (figures) => {
    const { jobs = 0, "jobs lost": lost = 0, "wrong results": wrong = 0 } = figures;
    const found = `${jobs} jobs, ${lost} lost, ${wrong} with a wrong result`;
    return `${yesIfNone(lost, wrong)}: ${found}; 95 % left the queue within ${figures["time in queue ms p95"] ?? "?"} ms, had a status within ${figures["time to first status ms p95"] ?? "?"} ms and a result within ${figures["time to result ms p95"] ?? "?"} ms.`;
  },
};

function plan(size: ScenarioSize): ScenarioPlan {
  const perWindow = shareOf(size, "run", 0.25);
  const followed = inFlightWith(size, perWindow, inFlightMax);
  const phase = arrivals(size, {
    name: "jobs",
    does: "runWholeJob",
    perWindow,
    inFlightMax: followed,
  });
  const jobs = plannedIn(phase) + 1;
  const readsPerJob = 4;
  return {
    cost: {
      requests: jobs * (1 + readsPerJob),
      jobs,
      durationMs: size.durationMs,
      peakPerSecond: Math.ceil((jobs * (1 + readsPerJob) * 1_000) / size.durationMs),
      inFlightMax: followed,
    },
    phases: [phase],
    demands: [
      ...engineDemandsOf(phase),
      zeroCount("requests_refused{op:run}", "run refused at a quarter of its limit", {
        requirement: "RATE-02",
      }),
      atLeast(Math.floor(jobs * 0.98) - 1, "jobs_accepted", "jobs accepted"),
      zeroCount("jobs_lost", "jobs lost", { requirement: "LIFE-08", proves: true }),
      zeroCount("results_wrong", "jobs without their own output", { requirement: "STAT-02" }),
      ...ownJobsDone(size),
      ...soundAnswers,
    ],
    figures: [
      figure("jobs", "jobs_accepted"),
      figure("jobs lost", "jobs_lost"),
      figure("wrong results", "results_wrong"),
      figure("requests", "requests_sent"),
      ...(
        [
          ["time to first status", "time_to_first_status"],
          ["time in queue", "time_in_queue"],
          ["time to result", "time_to_result"],
        ] as const
      ).flatMap(([label, metric]) =>
        (["med", "p95", "max"] as const).map((measure) =>
          figure(`${label} ms ${measure === "med" ? "p50" : measure}`, metric, measure),
        ),
      ),
    ],
    values: { workMs, jobLimitMs: jobLimitMs(size) },
  };
}
