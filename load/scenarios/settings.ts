import type { K6ScenarioSettings } from "../../scenarios/k6/settings.ts";
import type { Demand, Measure, ScenarioPlan } from "../../scenarios/scenario.ts";

/** Where the script of a scenario sends to, and where webhooks are received. */
export interface ScenarioAddresses extends Pick<
  K6ScenarioSettings,
  "endpoint" | "controlUrl" | "webhookUrl" | "own"
> {
  /** Whether the process is one of several: then nothing can be demanded of its counts. */
  readonly isPart: boolean;
}

/** The settings that the script of a scenario is given. */
export function scenarioSettings(
  plan: ScenarioPlan,
  { isPart, ...addresses }: ScenarioAddresses,
): K6ScenarioSettings {
  const { phases, values } = plan;
  return { ...addresses, phases, values, thresholds: thresholdsOf(plan, { isPart }) };
}

/**
 * k6's thresholds for a plan. One of several runners sees only its part, of which no count can be
 * demanded: it just reports everything, and what all of them count is judged together.
 */
function thresholdsOf(
  plan: ScenarioPlan,
  { isPart }: Pick<ScenarioAddresses, "isPart">,
): K6ScenarioSettings["thresholds"] {
  const lines = [
    ...(isPart ? [] : plan.demands).flatMap(demanded),
    // Without a threshold of its own k6 leaves a part of a metric out of its summary.
    ...[...plan.demands, ...plan.figures].map(({ metric, measure }) => seen(metric, measure)),
    ...(plan.observes ?? []).map((metric) => seen(metric, "max")),
  ].filter(({ metric }) => !isDerived(metric));
  const thresholds = new Map<string, Set<string>>();
  for (const { metric, line } of lines) {
    thresholds.set(metric, (thresholds.get(metric) ?? new Set()).add(line));
  }
  return Object.fromEntries([...thresholds].map(([metric, each]) => [metric, [...each]]));
}

/** What k6 does not count itself has a dot in its name. */
function isDerived(metric: string): boolean {
  return metric.includes(".");
}

interface Line {
  readonly metric: string;
  readonly line: string;
}

function demanded({ metric, measure, atLeast, atMost }: Demand): readonly Line[] {
  const figure = k6Measure(measure);
  return [
    ...(atLeast === undefined ? [] : [{ metric, line: `${figure}>=${atLeast}` }]),
    ...(atMost === undefined ? [] : [{ metric, line: `${figure}<=${atMost}` }]),
  ];
}

function seen(metric: string, measure: Measure): Line {
  return { metric, line: `${k6Measure(measure)}>=0` };
}

/** The measure as k6 writes it in a threshold. */
function k6Measure(measure: Measure): string {
  return measure.replace(/^p(\d.*)$/, "p($1)");
}
