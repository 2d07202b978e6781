import { capabilities } from "../openapi/capabilities.ts";
import { isOptionalOperation, tiers } from "../openapi/operations.ts";
import { requirements } from "../openapi/requirements.ts";
import type { Capability } from "../openapi/capabilities.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { Tier } from "../openapi/operations.ts";
import { scenarios } from "../scenarios/scenarios.ts";
import type { Scenario, SharingWay } from "../scenarios/scenario.ts";
import { burstCost, burstsMax } from "../load/autocannon/rate.ts";
import { k6RateMs } from "../load/k6/rate-plan.ts";
import { rateCost } from "../load/k6/rate-plan.ts";
import { openLoopScenarios } from "../load/open-loop-scenarios.ts";
import type { OpenLoopScenario } from "../load/release/scenario.ts";
import { neededOf } from "../load/sent-load.ts";
import { planOf } from "../load/scenarios/run-scenario.ts";
import { loadCheckSummaries } from "../load/check-summaries.ts";
import { CommandError } from "./errors.ts";
import { unknownText } from "./did-you-mean.ts";

/** Which load to run: what the command's operands name, or everything that decides requirements. */
export interface ScenarioChoice {
  readonly probe: boolean;
  /** Requirements whose limits autocannon (bursts) and k6 (rates) test. */
  readonly bursts: ReadonlySet<RequirementId>;
  readonly rates: ReadonlySet<RequirementId>;
  readonly scenarios: readonly Scenario[];
  /** Scenarios of our own open loop. */
  readonly openLoop: readonly OpenLoopScenario[];
}

const sharingWays: readonly SharingWay[] = ["segment", "k8s"];

const every = new Set(tiers.map(({ rate }) => rate));
const none: ScenarioChoice = {
  probe: false,
  bursts: new Set(),
  rates: new Set(),
  scenarios: [],
  openLoop: [],
};

/** The default: all requirements, by the probe, autocannon and k6. */
const requirementScenarios: ScenarioChoice = {
  probe: true,
  bursts: every,
  rates: every,
  scenarios: [],
  openLoop: [],
};

export function choiceOf({
  scenarios: choice = requirementScenarios,
}: {
  readonly scenarios: ScenarioChoice | undefined;
}): ScenarioChoice {
  return choice;
}

/** A scenario as `list --scenarios` shows it. */
export interface ListedScenario {
  readonly name: string;
  readonly question: string;
  readonly needs: readonly Capability[];
  /** How several runners can share it. */
  readonly sharedBy: readonly SharingWay[];
  readonly requests: number;
  readonly jobs: number;
  readonly durationMs: number;
}

interface ScenarioRow extends ListedScenario {
  readonly choice: ScenarioChoice;
}

/** All rows of `list --scenarios`; k6 scripts come first, then those of our own open loop. */
export function scenarioRows(): readonly ScenarioRow[] {
  return [
    ...scenarios.map(scenarioRow),
    ...openLoopScenarios.map(openLoopRow),
    probeRow(),
    tiersRow("rate", tiers),
    ...tiers.map((tier) => tiersRow("rate", [tier])),
    tiersRow("burst", tiers),
    ...tiers.map((tier) => tiersRow("burst", [tier])),
  ];
}

/**
 * Returns the load that the names stand for.
 * @throws CommandError WRONG_USAGE, with the most similar name for each unknown one
 */
export function scenariosNamed(names: readonly string[]): ScenarioChoice {
  const rows = scenarioRows();
  const known = rows.map(({ name }) => name);
  const problems = names
    .filter((name) => !known.includes(name))
    .map((name) => unknownText("scenario", name, known));
  if (problems.length > 0) {
    throw new CommandError("WRONG_USAGE", problems.join("; "), {
      hint: "`queueproof list --scenarios` shows them.",
    });
  }
  return rows
    .filter(({ name }) => names.includes(name))
    .map(({ choice }) => choice)
    .reduce(both);
}

function both(one: ScenarioChoice, other: ScenarioChoice): ScenarioChoice {
  return {
    probe: one.probe || other.probe,
    bursts: new Set([...one.bursts, ...other.bursts]),
    rates: new Set([...one.rates, ...other.rates]),
    scenarios: [...new Set([...one.scenarios, ...other.scenarios])],
    openLoop: [...new Set([...one.openLoop, ...other.openLoop])],
  };
}

function scenarioRow(scenario: Scenario): ScenarioRow {
  const { name, needs } = scenario;
  // The highest cost: it includes openai and requests, which not every target has.
  const { requests, jobs, durationMs } = planOf(scenario, { target: { capabilities } }).cost;
  const choice = { ...none, scenarios: [scenario] };
  const sharedBy = sharingWays.filter((way) => scenario.unshared?.[way] === undefined);
  return { name, question: scenario.question, needs, sharedBy, requests, jobs, durationMs, choice };
}

function openLoopRow(scenario: OpenLoopScenario): ScenarioRow {
  const { name, question } = scenario;
  const { requests, jobs, durationMs } = scenario.cost({ objectives: [] });
  const choice = { ...none, openLoop: [scenario] };
  return { name, question, needs: [], sharedBy: [], requests, jobs, durationMs, choice };
}

function probeRow(): ScenarioRow {
  return {
    name: "probe",
    question: "Are all requirements of rate and concurrency kept, exactly?",
    needs: [],
    sharedBy: [],
    requests: summed(loadCheckSummaries.map(({ requests }) => requests)),
    jobs: summed(loadCheckSummaries.map(({ jobs }) => jobs)),
    durationMs: summed(loadCheckSummaries.map(({ realTimeMs }) => realTimeMs)),
    choice: { ...none, probe: true },
  };
}

function summed(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function tiersRow(kind: "rate" | "burst", of: readonly Tier[]): ScenarioRow {
  const [only] = of;
  const one = of.length === 1 ? only : undefined;
  const costs = of.map((tier) =>
    neededOf(
      kind === "rate"
        ? rateCost(tier, { endpoints: "shared", rates: "all" })
        : burstCost(tier, burstsMax),
    ),
  );
  const ids = new Set(of.map(({ rate }) => rate));
  const what = one === undefined ? "each operation" : one.operation;
  return {
    name: one === undefined ? kind : `${kind}-${one.operation}`,
    question:
      kind === "rate"
        ? `Is the limit of ${what} kept at rates below, at and above it, seen by k6?`
        : `Does ${what} refuse what is one beyond its limit, seen by autocannon?`,
    needs: one === undefined ? [] : requirements[one.rate].needs.filter(isOptionalOperation),
    sharedBy: kind === "rate" ? sharingWays : [],
    requests: summed(costs.map(({ requests }) => requests)),
    jobs: summed(costs.map(({ jobs }) => jobs)),
    durationMs:
      kind === "rate" ? k6RateMs(of, { endpoints: "fresh", rates: "all" }) : of.length * burstMs,
    choice: { ...none, [kind === "rate" ? "rates" : "bursts"]: ids },
  };
}

const burstMs = 2_000;
