import { summaryOf } from "../harness/run.ts";
import type { CheckSummary } from "../harness/run-events.ts";
import { neededOf } from "./sent-load.ts";
import type { LoadCost } from "./sent-load.ts";
import { allCapabilitiesOffered } from "./requirements/situation.ts";
import type { Situation } from "./requirements/situation.ts";
import { loadChecks } from "./requirements/checks.ts";

/** The header of a load check, as it is listed, planned and shown while it runs. */
export interface LoadCheckSummary extends CheckSummary {
  /** What it sends, roughly, and how many jobs that makes. */
  readonly requests: number;
  readonly jobs: number;
  readonly cost: (on: Situation) => LoadCost;
}

/** The header of every load check, in the order in which they run. */
export const loadCheckSummaries: readonly LoadCheckSummary[] = loadChecks.map((check) =>
  Object.assign(summaryOf(check), {
    ...neededOf(check.cost(allCapabilitiesOffered)),
    cost: check.cost,
  }),
);
