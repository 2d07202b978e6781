import type { OperationName, Tier } from "../../openapi/operations.ts";
import {
  arrivals,
  atLeast,
  figure,
  engineDemandsOf,
  zeroCount,
  inFlightWith,
  iterationsOf,
  offersOperation,
  plannedIn,
  shareOf,
  soundAnswers,
} from "../scenario.ts";
import type {
  Arrivals,
  Demand,
  Figures,
  Scenario,
  ScenarioPlan,
  ScenarioSize,
} from "../scenario.ts";
import { tiers } from "../../openapi/operations.ts";

const inFlightMax = 20;
/** Answers of runsync that jobs of one's own may hold, three quarters of its cap. */
const heldMax = 300;

/** Sends requests of every operation that has a limit of its own, at half of that limit. */
export const steadyMix: Scenario = {
  name: "steady-mix",
  question: "Does everything pass at half of all limits at once, and how fast?",
  limits: "no 429, no 5xx, and at least 99 % of each operation accepted",
  needs: ["quick"],
  durationMs: 60_000,
  endpoint: { workers: 20, clock: "real" },
  plan,
  answer: ({ sent = 0, refused = 0, "5xx": broken = 0, "latency ms p95": p95 = 0, ...figures }) =>
    refused === 0 && broken === 0
      ? `Yes: ${sent} requests at half of all limits${leftOut(figures)}, none refused; 95 % answered within ${p95} ms.`
      : `No: of ${sent} requests at half of all limits${leftOut(figures)} ${refused} were refused and ${broken} answered 5xx.`,
};

/** What the mix was without, because the jobs file names no job for it. */
function leftOut(figures: Figures): string {
  const missing = ["cancel", "stream"].filter(
    (operation) => figures[`${operation} latency ms p95`] === undefined,
  );
  return missing.length === 0 ? "" : ` but those of ${missing.join(" and ")}`;
}

function plan(size: ScenarioSize): ScenarioPlan {
  const offered = tiers.filter(({ operation }) => offersOperation(size, operation));
  const phases = offered.map(({ operation }) => phaseOf(operation, size));
  const requests = iterationsOf(phases) + 2;
  const iterationsTo = (...names: readonly string[]): number =>
    iterationsOf(phases.filter(({ name }) => names.includes(name)));
  return {
    // A job to cancel is submitted before each cancel.
    cost: {
      requests: requests + iterationsTo("cancel"),
      jobs: iterationsTo("run", "runsync", "cancel") + 2,
      durationMs: size.durationMs,
      peakPerSecond: Math.ceil(requests / (size.durationMs / 1_000)),
      inFlightMax: phases.reduce((sum, each) => sum + each.inFlightMax, 0),
    },
    phases,
    demands: [
      ...phases.flatMap((phase) =>
        engineDemandsOf(phase, { measure: "max", ms: phase.windowMs / 4 }),
      ),
      ...offered.flatMap((tier) => demandsOf(tier, phaseOf(tier.operation, size))),
      ...soundAnswers,
    ],
    figures: [
      figure("sent", "requests_sent"),
      figure("accepted", "requests_accepted"),
      figure("refused", "requests_refused"),
      figure("5xx", "requests_broken"),
      figure("latency ms p95", "http_req_duration", "p95"),
      ...phases.map(({ name }) =>
        figure(`${name} latency ms p95`, `http_req_duration{op:${name}}`, "p95"),
      ),
    ],
    values: {},
  };
}

function phaseOf(operation: OperationName, size: ScenarioSize): Arrivals {
  const share = shareOf(size, operation, 0.5);
  // The jobs that are cancelled are submitted by run, and count against its half.
  const besides = operation === "run" ? shareOf(size, "cancel", 0.5) : 0;
  return arrivals(size, {
    name: operation,
    does: functionOf(operation),
    perWindow: Math.max(1, share - besides),
    inFlightMax: inFlightOf(operation, size),
  });
}

/** Below the caps of the operations, so that every 429 is the rate limit's. */
function inFlightOf(operation: OperationName, size: ScenarioSize): number {
  if (operation === "requests") return 1;
  if (operation !== "runsync") return inFlightMax;
  return Math.min(heldMax, inFlightWith(size, shareOf(size, operation, 0.5), inFlightMax));
}

function functionOf(operation: OperationName): string {
  return operation === "purge-queue" ? "purge" : operation;
}

function demandsOf({ operation, rate: requirement }: Tier, phase: Arrivals): readonly Demand[] {
  const accepted = Math.floor(plannedIn(phase) * 0.98);
  return [
    zeroCount(`requests_refused{op:${operation}}`, `${operation} refused at half its limit`, {
      requirement,
    }),
    atLeast(accepted, `requests_accepted{op:${operation}}`, `${operation} accepted`),
  ];
}
