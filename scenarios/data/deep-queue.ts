import { atLeast, figure, zeroCount, soundAnswers } from "../scenario.ts";
import type { Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";

const jobsAtFull = 10_000;
const usersMax = 10;
const workers = 4;
const workMs = 20;
/** The pauses until the depth is read and until the workers start, and the delay of reading health twice a second. */
const pausesMs = 6_000;

const ownEndpoint = "it needs an endpoint without workers, which one process makes and frees";

/** Lets a queue grow deep without workers, and then lets few workers drain it. */
export const deepQueue: Scenario = {
  name: "deep-queue",
  question: "Do few workers drain a queue of 10,000 jobs, and is each job still there afterwards?",
  limits: "every accepted job COMPLETED in the end, none lost, no 5xx; health counts what waits",
  needs: ["handler", "workers", "endpoints"],
  durationMs: 240_000,
  endpoint: { workers: 0, clock: "real" },
  plan,
  unshared: { segment: ownEndpoint, k8s: ownEndpoint },
  answer: (figures) => {
    const lost = Number(figures["jobs lost"] ?? 0);
    const drain = Number(figures["drained after ms"] ?? 0);
    return `${lost === 0 ? "Yes" : "No"}: ${figures["jobs"] ?? 0} jobs waited, ${figures["workers"] ?? workers} workers drained them in ${(drain / 1_000).toFixed(1)} s, ${lost} were lost; the longest health answer took ${figures["health ms max"] ?? "?"} ms.`;
  },
};

function plan(size: ScenarioSize): ScenarioPlan {
  const jobs = Math.max(usersMax, Math.round(jobsAtFull * size.scale));
  const users = Math.min(usersMax, jobs);
  const each = Math.ceil(jobs / users);
  const total = each * users;
  const { windowMs, of } = size.limits;
  // Requests stay a tenth below the limits. All workers do the work side by side.
  const submitMs = Math.ceil((total / (of("run") * 0.9)) * windowMs);
  const readMs = Math.ceil((total / (of("status") * 0.9)) * windowMs);
  const drainMs = Math.ceil((total * workMs) / workers);
  const durationMs = submitMs + drainMs + readMs + pausesMs;
  const longestMs = 60_000 + durationMs + 4 * drainMs;
  return {
    cost: {
      requests: total * 2 + Math.ceil(drainMs / 500) * users,
      jobs: total,
      durationMs,
      peakPerSecond: Math.ceil((of("status") * 0.9 * 1_000) / windowMs),
      inFlightMax: users,
    },
    phases: [{ kind: "virtual-users", name: "queue", does: "fill", users, longestMs }],
    demands: [
      atLeast(total, "jobs_accepted", "jobs submitted", { of: "engine" }),
      atLeast(total, "queue_depth", "jobs waiting, by health", {
        measure: "max",
        requirement: "HLTH-02",
      }),
      atLeast(0, "drained_after", "ms until the queue was empty", { measure: "max" }),
      zeroCount("jobs_lost", "jobs lost", { requirement: "LIFE-08", proves: true }),
      ...soundAnswers,
    ],
    figures: [
      figure("jobs", "jobs_accepted"),
      figure("deepest queue", "queue_depth", "max"),
      figure("drained after ms", "drained_after", "max"),
      figure("jobs lost", "jobs_lost"),
      figure("run ms p95", "http_req_duration{op:run}", "p95"),
      figure("health ms max", "http_req_duration{op:health}", "max"),
    ],
    values: { each, workers, workMs, submitMs, readMs, drainLimitMs: 30_000 + 4 * drainMs },
  };
}
