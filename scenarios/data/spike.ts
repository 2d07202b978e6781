import {
  arrivals,
  atLeast,
  atMost,
  figure,
  engineDemandsOf,
  zeroCount,
  iterationsOf,
  soundAnswers,
} from "../scenario.ts";
import type { Arrivals, Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";

const inFlightMax = 100;

/** Sends three times the limit for one window, and watches how the target recovers. */
export const spike: Scenario = {
  name: "spike",
  question: "How fast does status recover from a spike of three times its limit?",
  limits:
    "some of the spike refused, by 429 and nothing else; at half the limit nothing is refused " +
    "before it, nor after two windows have passed since its end",
  needs: [],
  durationMs: 60_000,
  endpoint: { workers: 1, clock: "real" },
  plan,
  derive: (read) => ({ "spike.recovery": read("refused_after_spike", "max") ?? 0 }),
  answer: (figures) => {
    const recovery = Number(figures["recovery ms"] ?? 0);
    const when = recovery === 0 ? "at once" : `after ${(recovery / 1_000).toFixed(1)} s`;
    return `It accepted everything again ${when}; of ${figures["spike sent"] ?? 0} requests in the spike ${figures["spike accepted"] ?? 0} were accepted, ${figures["5xx"] ?? 0} answered 5xx.`;
  },
};

function plan(size: ScenarioSize): ScenarioPlan {
  const { windowMs } = size.limits;
  const phases = phasesOf(size);
  const durationMs = Math.max(...phases.map((phase) => phase.startMs + phase.durationMs));
  return {
    cost: {
      requests: iterationsOf(phases) + 1,
      jobs: 1,
      durationMs,
      peakPerSecond: Math.ceil((size.limits.of("status") * 3_000) / windowMs),
      inFlightMax,
    },
    phases,
    demands: [
      ...phases.flatMap((phase) => engineDemandsOf(phase, { measure: "max", ms: windowMs / 4 })),
      zeroCount("requests_refused{phase:before}", "refused at half the limit, before the spike", {
        requirement: "RATE-03",
      }),
      atLeast(1, "requests_refused{phase:spike}", "refused at three times the limit", {
        requirement: "RATE-03",
      }),
      atMost(2 * windowMs, "spike.recovery", "ms from the end of the spike to the last refusal", {
        requirement: "RATE-09",
      }),
      zeroCount("requests_unexpected", "answers that are neither 2xx nor 429"),
      ...soundAnswers,
    ],
    figures: [
      figure("sent", "requests_sent"),
      figure("spike sent", "requests_sent{phase:spike}"),
      figure("spike accepted", "requests_accepted{phase:spike}"),
      figure("after refused", "requests_refused{phase:after}"),
      figure("recovery ms", "spike.recovery", "max"),
      figure("5xx", "requests_broken"),
      figure("spike latency ms p95", "http_req_duration{phase:spike}", "p95"),
      figure("after latency ms p95", "http_req_duration{phase:after}", "p95"),
    ],
    values: {},
  };
}

function phasesOf(size: ScenarioSize): readonly Arrivals[] {
  const { windowMs, of } = size.limits;
  const calm = Math.max(1, Math.floor(of("status") / 2));
  const afterMs = Math.max(3 * windowMs, size.durationMs - 2 * windowMs);
  return [
    { name: "before", perWindow: calm, startMs: 0, durationMs: windowMs },
    { name: "spike", perWindow: of("status") * 3, startMs: windowMs, durationMs: windowMs },
    { name: "after", perWindow: calm, startMs: 2 * windowMs, durationMs: afterMs },
  ].map((phase) => arrivals(size, { does: "read", inFlightMax, ...phase }));
}
