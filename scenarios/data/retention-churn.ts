import { atLeast, figure, zeroCount, soundAnswers, yesIfNone } from "../scenario.ts";
import type { Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";

const jobsAtFull = 50;

/** The most users on a real clock. On a virtual clock there is one, which moves it. */
const usersMax = 10;

interface Mode {
  /** 1: control moves the clock. 0: the users wait in real time, for results of runsync. */
  readonly virtual: 0 | 1;
  readonly stepMs: number;
  readonly rounds: number;
  /** Results younger than keptMs have to be there, those older than goneMs gone; in between both is right. */
  readonly keptMs: number;
  readonly goneMs: number;
}

/** Results of run are kept for 30 minutes. The second before and the one after that end are not judged. */
const moved: Mode = {
  virtual: 1,
  stepMs: 601_000,
  rounds: 6,
  keptMs: 1_799_000,
  goneMs: 1_801_000,
};

/** Results of runsync are kept for a minute, or up to five: the specification says both. */
const waitedFor: Mode = { virtual: 0, stepMs: 20_000, rounds: 18, keptMs: 50_000, goneMs: 310_000 };

/** Makes results and lets them expire all the time. */
export const retentionChurn: Scenario = {
  name: "retention-churn",
  question:
    "While results come and expire all the time, is each kept as long as promised and gone after?",
  limits: "no result missing within its retention, none left after it, no 5xx",
  needs: ["quick"],
  durationMs: 360_000,
  endpoint: { workers: 10, clock: "virtual" },
  plan,
  answer: (figures) => {
    const { "missing too soon": missing = 0, "there too long": stale = 0 } = figures;
    return `${yesIfNone(missing, stale)}: ${figures["results read"] ?? 0} reads within retention, ${missing} of them in vain; ${figures["reads after it"] ?? 0} reads after it, ${stale} of them still with the job.`;
  },
};

function plan(size: ScenarioSize): ScenarioPlan {
  const canMove = size.capabilities.includes("clock") && size.capabilities.includes("endpoints");
  const mode = canMove ? moved : waitedFor;
  const wanted = Math.max(1, Math.round(jobsAtFull * size.scale));
  const users = canMove ? 1 : Math.min(usersMax, wanted);
  const each = Math.ceil(wanted / users);
  const jobs = each * users;
  const ages = agesRead(mode);
  const longestMs = 60_000 + (canMove ? 0 : mode.rounds * mode.stepMs * 2);
  const durationMs = canMove ? 5_000 : mode.rounds * mode.stepMs;
  const requests = jobs * (mode.rounds + ages.within + ages.after);
  return {
    cost: {
      requests,
      jobs: jobs * mode.rounds,
      durationMs,
      peakPerSecond: Math.ceil((requests / durationMs) * 1_000),
      inFlightMax: users,
    },
    phases: [
      { kind: "virtual-users", name: "churn", does: "makeAndReadResults", users, longestMs },
    ],
    demands: [
      atLeast(jobs * mode.rounds, "jobs_done", "jobs done", { of: "engine" }),
      atLeast(jobs * ages.within, "reads_within", "reads within retention", { of: "engine" }),
      atLeast(jobs * ages.after, "reads_after", "reads after retention", { of: "engine" }),
      zeroCount("results_missing", "results missing within their retention", {
        requirement: canMove ? "RUNA-04" : "SYNC-07",
      }),
      zeroCount(
        "results_stale",
        "results there after their retention",
        canMove ? { requirement: "RUNA-05" } : {},
      ),
      ...soundAnswers,
    ],
    figures: [
      figure("jobs", "jobs_done"),
      figure("results read", "reads_within"),
      figure("missing too soon", "results_missing"),
      figure("reads after it", "reads_after"),
      figure("there too long", "results_stale"),
      figure("status ms p95", "http_req_duration{op:status}", "p95"),
    ],
    values: { ...mode, jobs: each },
  };
}

/** Counts how often the results of a round are read within their retention and after it, over the whole run. */
function agesRead({ rounds, stepMs, keptMs, goneMs }: Mode): {
  readonly within: number;
  readonly after: number;
} {
  let within = 0;
  let after = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (let before = 0; before <= round; before += 1) {
      const ageMs = (round - before + 1) * stepMs;
      // On a real clock a round takes longer than its pause, so an age close below keptMs is not counted.
      if (ageMs + stepMs / 2 <= keptMs) within += 1;
      if (ageMs >= goneMs) after += 1;
    }
  }
  return { within, after };
}
