import { atLeast, figure, zeroCount, soundAnswers, yesIfNone } from "../scenario.ts";
import type { Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";

/** Below the cap of cancel, so that every 429 is the rate limit's. */
const usersMax = 15;

/** Cancels twice as many jobs at once as the limit lets through. */
export const cancelStorm: Scenario = {
  name: "cancel-storm",
  question:
    "When twice the limit is cancelled at once, does each cancel do exactly what it answered?",
  limits:
    "every accepted cancel leaves its job CANCELLED, every refused one leaves its job alone, and " +
    "with retries all are cancelled in the end; no 5xx",
  needs: ["slow"],
  durationMs: 60_000,
  endpoint: { workers: 5, clock: "real" },
  plan,
  answer: ({
    "cancels in the storm": cancels = 0,
    "accepted in the storm": accepted = 0,
    "accepted without effect": without = 0,
    "refused with effect": refused = 0,
    "left uncancelled": left = 0,
  }) =>
    `${yesIfNone(without, refused, left)}: of ${cancels} cancels ${accepted} were accepted, ${without} of them without effect; ${refused} refused ones took effect; ${left} jobs were left.`,
};

function plan(size: ScenarioSize): ScenarioPlan {
  const limit = size.limits.of("cancel");
  const jobs = Math.max(2, Math.round(2 * limit * size.scale));
  const users = Math.min(usersMax, jobs);
  const each = Math.ceil(jobs / users);
  const total = each * users;
  const { windowMs } = size.limits;
  // Jobs are submitted at half of run's limit; then comes the storm, then window after window until all are gone.
  const submitMs = Math.ceil((total / (size.limits.of("run") / 2)) * windowMs);
  const windows = Math.ceil(total / Math.max(1, limit)) + 2;
  const longestMs = Math.max(size.durationMs, 2_000 + submitMs + 2 * windows * windowMs);
  return {
    cost: {
      requests: total * 6,
      jobs: total,
      durationMs: 2_000 + submitMs + windows * windowMs,
      peakPerSecond: total,
      inFlightMax: users,
    },
    phases: [{ kind: "virtual-users", name: "storm", does: "storm", users, longestMs }],
    demands: [
      atLeast(total, "jobs_accepted", "jobs submitted to be cancelled", { of: "engine" }),
      atLeast(total, "storm_cancels", "cancels in the storm", { of: "engine" }),
      atLeast(total, "storm_unfinished", "jobs that had not ended by themselves when cancelled", {
        of: "engine",
      }),
      atLeast(1, "storm_accepted", "cancels accepted in the storm"),
      zeroCount("cancels_without_effect", "cancels accepted without effect", {
        requirement: "CANC-04",
      }),
      zeroCount("refusals_with_effect", "cancels refused that took effect", {
        requirement: "RATE-13",
      }),
      zeroCount("left_uncancelled", "jobs that could not be cancelled with retries", {
        requirement: "RATE-15",
      }),
      ...soundAnswers,
    ],
    figures: [
      figure("jobs", "jobs_accepted"),
      figure("cancels in the storm", "storm_cancels"),
      figure("accepted in the storm", "storm_accepted"),
      figure("accepted without effect", "cancels_without_effect"),
      figure("refused with effect", "refusals_with_effect"),
      figure("left uncancelled", "left_uncancelled"),
      figure("cancel ms p95", "http_req_duration{op:cancel}", "p95"),
    ],
    values: {
      each,
      stormAtMs: 1_000 + submitMs,
      paceMs: submitMs / each,
      windowMs,
      retryForMs: windows * windowMs,
    },
  };
}
