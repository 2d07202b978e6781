import { setTimeout as pause } from "node:timers/promises";

import { Inconclusive, stopReason } from "../../harness/outcome.ts";
import { nearestRank } from "../../reports/load/time-spread.ts";
import { costInTurn } from "../../scenarios/scenario.ts";
import type { LoadResult } from "../../reports/model.ts";
import { latenciesOf, mixFindings } from "./mix-finding.ts";
import { isTooLate, lateOf } from "../objectives/judge-objective.ts";
import { mixCost, mixedBy } from "../open-loop/run-mix.ts";
import type { MixOutcome, MixRole } from "../open-loop/run-mix.ts";
import type { Objective } from "../objectives/objectives-file.ts";
import { BookedRun } from "../open-loop/booked-run.ts";
import { healthShown } from "../open-loop/health-counts.ts";
import { headOf, notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import type { OpenLoopOptions, OpenLoopScenario, OpenLoopSize } from "./scenario.ts";

/** What has to hold where no objectives are given. */
const usualObjectives: readonly Objective[] = [
  { subject: "mix", measure: "errors", share: 1, bound: 0.001 },
  { subject: "mix", measure: "latency", share: 0.95, bound: 2_000 },
];

const stepMsDefault = 10_000;
const stepsMax = 12;
/** The highest rate is known to within this. */
const nearness = 1.05;
const growth = 2;
const drainMsMax = 15_000;
const pauseMs = 500;
/** Where no latency is promised, lateness is held to this one. */
const lateBoundMs = 1_000;

export const capacityScenario: OpenLoopScenario = {
  name: "capacity",
  entry: "load/capacity",
  question: "Up to which rate of the mix are the objectives kept?",
  cost: capacityCost,
  run: async (options) => [await searched(options)],
};

/** Every step at the highest rate that doubling can reach: a search that ends early sends less. */
function capacityCost(size: OpenLoopSize): ReturnType<OpenLoopScenario["cost"]> {
  const { durationMs = stepMsDefault, scale = 1 } = size;
  const watches = { ends: false, chunks: false };
  const costs = Array.from({ length: stepsMax }, (_, step) =>
    mixCost({
      ...size,
      durationMs,
      watches,
      scale: scale * growth ** Math.min(step, doublingsPlanned),
    }),
  );
  return costInTurn(costs);
}

const doublingsPlanned = 6;

/** One step of the search. */
interface Step {
  readonly scale: number;
  readonly outcome: MixOutcome;
  /** What does not hold at this rate; few values can break an objective, too, but prove none. */
  readonly broken: readonly string[];
  /** Whether this process could not send at this rate. */
  readonly isLate: boolean;
}

async function searched(options: OpenLoopOptions): Promise<JudgedLoad> {
  const run = await BookedRun.open<MixRole>(options);
  try {
    const steps: Step[] = [];
    let [kept, broken] = [0, Infinity];
    let scale = options.scale ?? 1;
    while (steps.length < stepsMax && broken / Math.max(kept, Number.MIN_VALUE) > nearness) {
      const step = await stepOf(run, scale, options);
      steps.push(step);
      if (step.isLate || options.signal?.aborted === true) break;
      if (step.broken.length > 0) broken = scale;
      else kept = scale;
      scale = nextScale(kept, broken);
      await drained(run);
    }
    return capacityFinding(steps, { kept, broken, signal: options.signal });
  } finally {
    await run.close();
  }
}

/** Doubles, or halves, until there is a rate that is kept and one that is not, then goes between them. */
function nextScale(kept: number, broken: number): number {
  if (kept === 0) return broken / growth;
  return broken === Infinity ? kept * growth : Math.sqrt(kept * broken);
}

async function stepOf(
  run: BookedRun<MixRole>,
  scale: number,
  options: OpenLoopOptions,
): Promise<Step> {
  const { durationMs = stepMsDefault } = options;
  const given = options.objectives.filter(
    ({ measure }) => measure === "latency" || measure === "errors",
  );
  const timed = given.length > 0 ? given : usualObjectives;
  const watches = { ends: false, chunks: false };
  const outcome = await mixedBy(run, { ...options, durationMs, scale, watches });
  if (outcome.requests.length === 0 && outcome.undecided === undefined) {
    throw new Inconclusive("the target offers nothing of the mix");
  }
  const broken = mixFindings(capacityScenario, outcome, timed)
    .slice(1)
    .filter(({ verdict }) => verdict === "fail")
    .map(({ scenario }) => scenario.replace("objective/", ""));
  const bounds = timed.flatMap(({ measure, bound }) => (measure === "latency" ? [bound] : []));
  return {
    scale,
    outcome,
    broken,
    isLate: isTooLate(lateOf(outcome.requests), Math.min(lateBoundMs, ...bounds)),
  };
}

/** Jobs of one step must not be in the way of the next. */
async function drained(run: BookedRun<MixRole>): Promise<void> {
  const endMs = performance.now() + drainMsMax;
  while (performance.now() < endMs) {
    const shown = await healthShown(run.first);
    if (shown === undefined || shown.inQueue === 0) break;
    await pause(pauseMs);
  }
}

interface Bounds {
  readonly kept: number;
  readonly broken: number;
  readonly signal: AbortSignal | undefined;
}

function capacityFinding(steps: readonly Step[], { kept, broken, signal }: Bounds): JudgedLoad {
  const curve = steps.map(pointOf).toSorted((one, other) => one.perSecond - other.perSecond);
  const best = steps.filter(({ scale }) => scale <= kept).map(pointOf);
  const highest = Math.max(0, ...best.map(({ perSecond }) => perSecond));
  const common = {
    ...headOf(capacityScenario),
    figures: { "highest rate a second": highest, steps: steps.length },
    curve,
    samples: [],
  };
  if (signal?.aborted === true)
    return { ...common, ...notAnswered("inconclusive", stopReason(signal)) };
  const last = steps.at(-1);
  if (last?.isLate === true) {
    const reason = `this machine could not send ${pointOf(last).perSecond} requests a second in time; up to ${highest} they are kept, and a larger machine, or several, would show more`;
    return { ...common, ...notAnswered("inconclusive", reason) };
  }
  if (highest === 0) {
    const reason = `no rate down to ${curve[0]?.perSecond ?? 0} requests a second keeps them`;
    return { ...common, verdict: "fail", reason, answer: `No: ${reason}.` };
  }
  const ended = steps.find(({ scale }) => scale === broken);
  const by = ended === undefined ? "the search ended before any rate broke them" : endedBy(ended);
  return {
    ...common,
    figures: { ...common.figures, "ended by": by },
    verdict: "pass",
    answer: `Up to ${highest} requests a second; ${by}.`,
  };
}

/** Whether the rate limit of the server or the server itself ended the search. */
function endedBy({ outcome, broken, scale }: Step): string {
  const { perSecond } = pointOf({ scale, outcome });
  const refused = outcome.requests.filter(({ status }) => status === 429).length;
  if (refused > 0) return `at ${perSecond} its rate limit refused ${refused} requests`;
  return `at ${perSecond} the server itself broke ${broken.join(", ")}`;
}

function pointOf({
  outcome,
}: Pick<Step, "outcome" | "scale">): NonNullable<LoadResult["curve"]>[number] {
  const { requests, durationMs } = outcome;
  const latencies = latenciesOf(requests);
  const at = (share: number): number => Math.round(10 * (nearestRank(latencies, share) ?? 0)) / 10;
  return {
    perSecond: Math.round((10 * requests.length) / (durationMs / 1_000)) / 10,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    refused: requests.filter(({ status }) => status === 429).length,
    failed: requests.filter(({ status }) => status === 0 || status >= 500).length,
  };
}
