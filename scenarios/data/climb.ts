import type { OperationName } from "../../openapi/operations.ts";
import {
  arrivals,
  atLeast,
  atMost,
  figure,
  engineDemandsOf,
  zeroCount,
  plannedIn,
  iterationsOf,
  soundAnswers,
} from "../scenario.ts";
import type { Arrivals, Demand, Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";
import { tierOf } from "../../openapi/operations.ts";

const operations = ["runsync", "run", "status", "stream"] as const satisfies OperationName[];

const percents = [20, 40, 60, 80, 100] as const;

const inFlightMax = 50;

/** How much longer the slowest twentieth of the answers may take at the limit than at a fifth of it. */
const growthMsMax = 250;

/** Raises the rate of the operations with the four largest limits to these limits, in five steps. */
export const climb: Scenario = {
  name: "climb",
  question: "Up to which share of their limits do the four large operations accept everything?",
  limits:
    "nothing refused up to 80 %, at least 90 % accepted at the limit itself, no 5xx, and the " +
    "slowest twentieth at most 250 ms later at the limit than at a fifth of it",
  needs: [],
  durationMs: 100_000,
  endpoint: { workers: 20, clock: "real" },
  plan,
  derive: (read) => ({
    "climb.growth": Math.max(0, latencyAt(100, read) - latencyAt(20, read)),
    "climb.low": latencyAt(20, read),
    "climb.high": latencyAt(100, read),
  }),
  answer: (figures) => {
    const full = percents.filter((percent) => figures[`refused at ${percent} %`] === 0);
    const latency = `95 % answered within ${figures["latency ms p95 at 20 %"] ?? "?"} ms at 20 % and ${figures["latency ms p95 at 100 %"] ?? "?"} ms at 100 %`;
    return `Everything was accepted at ${full.join(", ") || "no"} % of the limits; ${latency}.`;
  },
};

type Read = Parameters<NonNullable<Scenario["derive"]>>[0];

function latencyAt(percent: number, read: Read): number {
  const each = operations.map(
    (operation) => read(`http_req_duration{phase:${operation}-${percent}}`, "p95") ?? 0,
  );
  return Math.max(...each);
}

function plan(size: ScenarioSize): ScenarioPlan {
  const steps = operations.flatMap((operation) =>
    percents.map((percent, step) => ({ operation, percent, step })),
  );
  const phases = steps.map((step) => phaseOf(step, size));
  const iterationsTo = (...names: readonly string[]): number =>
    iterationsOf(phases.filter(({ does }) => names.includes(does)));
  const perWindow = operations.reduce((sum, operation) => sum + size.limits.of(operation), 0);
  return {
    cost: {
      requests: iterationsOf(phases) + 2,
      jobs: iterationsTo("run", "runsync") + 2,
      durationMs: size.durationMs,
      peakPerSecond: Math.ceil((perWindow * 1_000) / size.limits.windowMs),
      inFlightMax: operations.length * inFlightMax,
    },
    phases,
    demands: [
      ...phases.flatMap((phase) =>
        engineDemandsOf(phase, { measure: "max", ms: phase.windowMs / 10 }),
      ),
      ...steps.map((step) => demandOf(step, phaseOf(step, size))),
      atMost(growthMsMax, "climb.growth", "ms that the slowest twentieth grew by"),
      ...soundAnswers,
    ],
    figures: [
      figure("sent", "requests_sent"),
      figure("accepted", "requests_accepted"),
      ...percents.map((percent) =>
        figure(`refused at ${percent} %`, `requests_refused{step:${percent}}`),
      ),
      figure("5xx", "requests_broken"),
      figure("latency ms p95 at 20 %", "climb.low", "max"),
      figure("latency ms p95 at 100 %", "climb.high", "max"),
    ],
    observes: phases.map(({ name }) => `http_req_duration{phase:${name}}`),
    values: {},
  };
}

interface Step {
  readonly operation: (typeof operations)[number];
  readonly percent: number;
  readonly step: number;
}

function phaseOf({ operation, percent, step }: Step, size: ScenarioSize): Arrivals {
  const stepMs = Math.floor(size.durationMs / percents.length);
  return arrivals(size, {
    name: `${operation}-${percent}`,
    does: operation,
    perWindow: Math.max(1, Math.floor((size.limits.of(operation) * percent) / 100)),
    startMs: step * stepMs,
    durationMs: stepMs,
    inFlightMax,
    tags: { step: String(percent) },
  });
}

function demandOf({ operation, percent }: Step, phase: Arrivals): Demand {
  if (percent < 100) {
    return zeroCount(
      `requests_refused{phase:${phase.name}}`,
      `${operation} refused at ${percent} % of its limit`,
      { requirement: tierOf(operation).rate },
    );
  }
  return atLeast(
    Math.floor(plannedIn(phase) * 0.9),
    `requests_accepted{phase:${phase.name}}`,
    `${operation} accepted at its limit`,
  );
}
