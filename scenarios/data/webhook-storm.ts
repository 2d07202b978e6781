import {
  arrivals,
  atLeast,
  figure,
  engineDemandsOf,
  inFlightWith,
  jobLimitMs,
  ownJobsDone,
  zeroCount,
  plannedIn,
  shareOf,
  soundAnswers,
  yesIfNone,
} from "../scenario.ts";
import type { Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";

const inFlightMax = 50;
/** Jobs of one's own are read until they have ended. */
const readsPerOwnJob = 4;

/** Many completions at once, each with a webhook. */
export const webhookStorm: Scenario = {
  name: "webhook-storm",
  question:
    "Does every completed job call its webhook once, when many complete at once, and how soon?",
  limits:
    "no call lost, none made twice though each was answered 200, each with the record of a completed job",
  needs: ["quick", "webhook"],
  durationMs: 20_000,
  endpoint: { workers: 20, clock: "real" },
  plan,
  unshared: {
    k8s: "its webhooks are received by queueproof, which does not run in the cluster",
  },
  answer: ({
    jobs = 0,
    "calls lost": lost = 0,
    "calls made again": twice = 0,
    "calls with a wrong body": wrong = 0,
    "submission to call ms p95": p95 = "?",
  }) =>
    `${yesIfNone(lost, twice, wrong)}: ${jobs} jobs, ${lost} calls lost, ${twice} made again, ${wrong} with a wrong body; 95 % came within ${p95} ms of the submission.`,
};

function plan(size: ScenarioSize): ScenarioPlan {
  const perWindow = shareOf(size, "run", 0.5);
  const phase = arrivals(size, {
    name: "submit",
    does: "submitWithWebhook",
    perWindow,
    inFlightMax: inFlightWith(size, perWindow, inFlightMax),
  });
  const jobs = plannedIn(phase) + 1;
  return {
    cost: {
      requests: size.own === undefined ? jobs : jobs * (1 + readsPerOwnJob),
      jobs,
      durationMs: size.durationMs,
      peakPerSecond: Math.ceil((jobs * 1_000) / size.durationMs),
      inFlightMax: phase.inFlightMax,
    },
    phases: [phase],
    demands: [
      ...engineDemandsOf(phase),
      atLeast(Math.floor(jobs * 0.98) - 1, "jobs_accepted", "jobs accepted"),
      zeroCount("webhooks.lost", "jobs whose webhook was not called", { requirement: "HOOK-01" }),
      zeroCount("webhooks.again", "calls made again though they were answered 200", {
        requirement: "HOOK-03",
      }),
      zeroCount("webhooks.wrong", "calls without the record of the completed job", {
        requirement: "HOOK-02",
      }),
      ...ownJobsDone(size),
      zeroCount("webhooks.strays", "calls for jobs of another runner", { of: "engine" }),
      ...soundAnswers,
    ],
    figures: [
      figure("jobs", "jobs_accepted"),
      figure("calls", "webhooks.calls"),
      figure("calls lost", "webhooks.lost"),
      figure("calls made again", "webhooks.again"),
      figure("calls with a wrong body", "webhooks.wrong"),
      figure("submission to call ms p50", "webhooks.delay", "med"),
      figure("submission to call ms p95", "webhooks.delay", "p95"),
      figure("submission to call ms max", "webhooks.delay", "max"),
    ],
    values: { jobLimitMs: jobLimitMs(size) },
  };
}
